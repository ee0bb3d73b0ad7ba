"""The wording that all renderings of restrictions share."""

from typing import Final

from accel.specs.export_rules.evaluate import RuleFinding

EFFECTS: Final = {"blocks": "does not run", "slows": "slow", "licence": "licence term", "misleads": "misleads"}


def rule_outcome(rule: RuleFinding) -> str:
    """Return a rule's outcome for a chip, and whether it applies to the destination and the maker at all."""
    figures = rule.until_then or rule.outcome
    if not rule.in_scope:
        return f"does not look at this destination (figures: {figures})"
    if not rule.addressed:
        return f"not addressed to this maker (figures: {figures})"
    return f"{rule.outcome}; until then {rule.until_then}" if rule.until_then else rule.outcome
