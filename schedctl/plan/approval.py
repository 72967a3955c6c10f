"""Whether a person has to approve a plan, by the risks of its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.catalog.basics import RISKS

if TYPE_CHECKING:
    from schedctl.catalog.basics import Risk
    from schedctl.catalog.model import Policy
    from schedctl.plan.model import Plan


def needs_approval(plan: Plan, policy: Policy) -> bool:
    """Whether any step has a risk that the policy wants approved."""
    return any(step.risk in policy.approval for step in plan.steps)


def highest_risk(plan: Plan) -> Risk:
    """The gravest risk among the steps (`reads` before `changes` before `disrupts`)."""
    risks: list[Risk] = [step.risk for step in plan.steps]
    return max(risks, key=RISKS.index)
