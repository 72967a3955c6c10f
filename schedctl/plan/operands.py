"""Which words can be the value of a parameter: names. Never an article, a preposition, a quantifier, a description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.catalog.model import Group, Node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedctl.plan.lexicon import Word

WORDS: Final = """
    a an the this that these those such all every each any some both either neither no none several many most more few
    other others another same my our your his her its their it them they he she one ones which whose what who something
    anything everything on in at of for to from by with into onto over under via per about after before until till
    during through within near between across against upon off out up down and or but nor if then when while because as
    so than unless is are was were be been being am has have had do does did done can could shall should will would
    must may might now again also only just too please not never soon later today tonight asap immediately quickly
    gracefully safely once twice already still always failed failing broken dead stopped running crashed hung affected
    unhealthy required needed necessary corresponding relevant respective certain given specified following previous
    next first last new old main whole entire remaining right wrong correct service services unit units
"""
NO_NAMES: Final = frozenset(WORDS.split())
"""English words that say how many, which, where or how, and name nothing."""


def names_something(said: str, words: Iterable[Word]) -> bool:
    """Whether a word can be a name of the operator's: it says nothing else, in the grammar or as a place."""
    if said.lower() in NO_NAMES:
        return False
    return not any(isinstance(word.meaning, str | Node | Group) and word.form.fullmatch(said) for word in words)
