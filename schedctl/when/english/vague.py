"""English words for days that nobody has settled: `odd weeks`, `Patch Tuesday`, `semiannually`, `week 40`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.english.days import BUSINESS, EACH, END
from schedctl.when.english.scan import Hit, Rule, rule, whole
from schedctl.when.english.words import WEEKDAY, WEEKDAYS, one_of
from schedctl.when.reading.parts import Unclear

if TYPE_CHECKING:
    import re

NAMED_WEEKDAYS: Final = (
    *("patch", "update", "black", "cyber", "giving", "super", "good", "easter", "whit", "pancake", "bank holiday"),
    *("ash", "maundy", "palm", "holy", "shrove", "fat", "mardi gras"),
)
"""Words that make one certain day of a weekday; which one changes with the year."""
FREQUENCIES: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("semiannually", "semi-annually", "half-yearly", "half yearly", "twice-yearly"), ("every 6 months",)
    ),
    **dict.fromkeys(("biannually", "bi-annually"), ("every 6 months", "every 2 years")),
    **dict.fromkeys(("biennially", "bi-yearly", "biyearly"), ("every 2 years", "every 6 months")),
    **dict.fromkeys(("semimonthly", "semi-monthly"), ("on the 1st and 15th of every month", "every 2 weeks")),
    **dict.fromkeys(("semiweekly", "semi-weekly"), ("every Monday and Thursday",)),
    **dict.fromkeys(("triannually", "tri-annually", "thrice-yearly"), ("every 4 months",)),
    **dict.fromkeys(("every half year", "every half-year", "each half year"), ("every 6 months",)),
    **dict.fromkeys(("every leap year", "each leap year", "in leap years"), ()),
}
"""How often, said in a way that two readers would start in different months."""


def _days(match: re.Match[str], *choices: str) -> Hit:
    doubt = Unclear(
        "ambiguous_time",
        Text(f"「{match[0]}」がどの日を指すのか決められません", f"It is not certain which days “{match[0]}” means"),
        choices,
    )
    return whole(match, doubt)


def _named_weekday(match: re.Match[str]) -> Hit:
    """`patch Tuesday`: the second one of a month, but not every reader knows."""
    patch = match["name"] in ("patch", "update") and match["day"].startswith("tue")
    return _days(match, *(("on the second Tuesday of every month",) if patch else ()))


def _parity(match: re.Match[str]) -> Hit:
    """`odd weeks`: of the year, of the month, or counted from now?"""
    if match["unit"] == "month":
        months = "January, March, May, July, September and November"
        even = "February, April, June, August, October and December"
        return _days(match, f"every {months if match['parity'] == 'odd' else even}")
    if match["unit"] == "day":
        return _days(match, "every other day")
    which = "first and third" if match["parity"] == "odd" else "second and fourth"
    return _days(
        match, *((f"every 2 weeks on {match['day']}", f"on the {which} {match['day']}") if match["day"] else ())
    )


def _frequency(match: re.Match[str]) -> Hit:
    return _days(match, *FREQUENCIES[match["name"]])


def _every_nth_day(match: re.Match[str]) -> Hit:
    """`every 3rd day`: every three days (as `every third day`), or the 3rd of each month?"""
    return _days(match, f"every {match['nth'].rstrip('stndrh')} days", f"every month on the {match['nth']}")


def _every_nth_business_day(match: re.Match[str]) -> Hit:
    """`every 2nd business day`: every two business days, or the second of each month?"""
    return _days(match, f"on the {match['nth']} {match['day']} of every month")


NTH_DAY: Final = r"(?P<nth>[23]\d?(?:st|nd|rd|th)|[4-9]th) day"
SEASON: Final = r"(?:spring|summer|autumn|winter)"
RULES: Final[tuple[Rule, ...]] = (
    rule(
        ("on", "every", "each", *NAMED_WEEKDAYS),
        rf"(?:on )?(?:{EACH} )?(?P<name>{one_of(NAMED_WEEKDAYS)}) (?P<day>{WEEKDAY}){END}",
        _named_weekday,
    ),
    rule(
        ("on", "in", "every", "each", "odd", "even"),
        rf"(?:on |in )?(?:{EACH} )?(?P<parity>odd|even)(?:[ -]numbered)? (?P<unit>week|month|day)s?"
        rf"(?:,? (?:on )?(?P<day>{WEEKDAY}))?{END}",
        _parity,
    ),
    rule(
        ("on", "every", "each", "odd", "even"),
        rf"(?:on )?(?:{EACH} )?(?P<parity>odd|even) (?P<unit>(?!))?(?P<day>{WEEKDAY}){END}",
        _parity,
    ),
    rule(FREQUENCIES, rf"(?P<name>{one_of(FREQUENCIES)}){END}", _frequency),
    rule(("every", "each"), rf"{EACH} {NTH_DAY}{END}(?! of )", _every_nth_day),
    rule(
        ("every", "each"),
        rf"{EACH} (?P<nth>second|third|fourth|fifth|[23]\d?(?:st|nd|rd|th)|[4-9]th) (?P<day>{BUSINESS}){END}"
        r"(?! (?:of|in) )",
        _every_nth_business_day,
    ),
    rule(("in", "on", "week", "iso"), rf"(?:in |on )?(?:iso )?week \d{{1,2}}(?=,? (?:on )?{WEEKDAY})", _days),
    rule(WEEKDAYS, rf"{WEEKDAY} week(?= at |,|$)", _days),
    rule(
        ("every", "each", "this", "next", "in"),
        rf"(?:{EACH}|this|next|in|in the|during(?: the)?) {SEASON}(?=,? (?:on |every )?{WEEKDAY})",
        _days,
    ),
)
