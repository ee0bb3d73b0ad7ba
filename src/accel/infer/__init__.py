"""From observations to facts: tables (specs/*/inference) first, then rules in code. Pure."""
