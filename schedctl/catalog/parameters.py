"""The parameters of an action, and whether a value may be used for one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schedctl.catalog import keys
from schedctl.catalog.model import Parameter
from schedctl.catalog.pattern import NotUnderstood, admits, dangers, inner, shape_of
from schedctl.language import Text

if TYPE_CHECKING:
    from schedctl.catalog.table import Table

NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
LONGEST_VALUE: Final = 255


def accepts(parameter: Parameter, value: str) -> bool:
    """Whether `value` may stand in an argv for this parameter: declared, no option, nothing invisible in it."""
    if not value or value.startswith("-") or not value.isprintable() or len(value) > LONGEST_VALUE:
        return False
    if parameter.values:
        return value in parameter.values
    return parameter.pattern is not None and admits(parameter.pattern, value)


def parse_parameters(action: Table) -> tuple[Parameter, ...]:
    """The parameters of one action, sorted by name."""
    return tuple(_parameter(name, table) for name, table in action.inner_tables("parameters", keys.PARAMETER))


def _parameter(name: str, table: Table) -> Parameter:
    if not NAME.fullmatch(name):
        table.problems.add(
            table.place,
            Text(
                f"パラメータ名「{name}」は英小文字・数字・_ で書きます", f"“{name}” must be small letters, digits and _"
            ),
            Text("例: unit", "For example: unit"),
        )
    values = table.strings("values")
    pattern = table.optional_string("pattern")
    if ("values" in table.values) == ("pattern" in table.values):
        table.note(
            "values",
            Text("values か pattern のどちらか一方が要ります", "Either values or pattern is needed, not both"),
            Text(
                '例: values = ["nginx", "docker"] または pattern = "^[a-z][a-z0-9-]*$"',
                'For example: values = ["nginx", "docker"], or pattern = "^[a-z][a-z0-9-]*$"',
            ),
        )
    _check_values(table, values)
    safe = pattern is None or _is_safe(table, pattern)
    parameter = Parameter(
        name=name,
        label=table.text("label", Text(name, name)),
        values=values,
        pattern=pattern if safe else None,
        default=table.optional_string("default"),
        aliases=table.pairs("aliases"),
    )
    if safe:
        _check_choices(table, parameter)
    return parameter


def _check_values(table: Table, values: tuple[str, ...]) -> None:
    for value in values:
        if value.startswith("-") or len(value) > LONGEST_VALUE:
            table.note(
                "values",
                Text(
                    f"値「{value}」はオプションと取られるか、長すぎます",
                    f"The value “{value}” reads as an option, or is too long",
                ),
                Text("「-」で始まらない値にしてください", "Use a value that does not start with a dash"),
            )


def _is_safe(table: Table, pattern: str) -> bool:
    try:
        shape = shape_of(pattern)
        re.compile(inner(pattern) or "")
        complaints = dangers(shape)
    except NotUnderstood as error:
        complaints = (error.text,)
    except re.error as error:
        complaints = (Text(f"正規表現として読めません（{error}）", f"it is not a regular expression ({error})"),)
    for complaint in complaints:
        table.note(
            "pattern",
            Text(
                f"パターン「{pattern}」は使えません: {complaint.ja}",
                f"The pattern “{pattern}” cannot be used: {complaint.en}",
            ),
            Text(
                '許す文字を並べてください。例: "^[A-Za-z0-9][A-Za-z0-9_.-]*$"',
                'List the characters that it admits, like "^[A-Za-z0-9][A-Za-z0-9_.-]*$"',
            ),
        )
    return not complaints


def _check_choices(table: Table, parameter: Parameter) -> None:
    chosen = [(f"aliases.{word}", value) for word, value in parameter.aliases]
    if parameter.default is not None:
        chosen.append(("default", parameter.default))
    for key, value in chosen:
        if not accepts(parameter, value):
            table.note(
                key,
                Text(f"「{value}」はこのパラメータの値ではありません", f"“{value}” is not a value of this parameter"),
                Text(
                    "values に加えるか、pattern に合う値にしてください",
                    "Add it to values, or write one that fits the pattern",
                ),
            )
