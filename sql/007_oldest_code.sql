-- Which older code may go on with a schema, so that hosts can be upgraded one after the other: the number of the oldest schema
-- whose code still fires and works here. NULL: none but the schema's own. Each later file says it in its head, in a line
-- `-- oldest code that goes on: N` (docs/decisions/numbered-history.md).
ALTER TABLE schedctl.schema_version ADD COLUMN IF NOT EXISTS oldest_code int
    CONSTRAINT a_schema_admits_older_code_than_itself CHECK (oldest_code <= version);
