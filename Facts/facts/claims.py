"""The verdicts on the claims: three columns of Facts/claims.tsv.

  verdict      true, half true, false, or true in VERSIONS, as "true in current" or "true in CF-855, CF-1153"
  corrections  the numbers of the corrections that say what is wrong in the claim
  see          the numbers of the corrections that name the claim, and correct another sentence of the articles

A correction names a claim by a link in its text, [S11]. The claim names it in one of the two columns, so that whoever reads one of them finds the other.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from . import annotations, tables

IN_VERSIONS = "true in "
WORDS = {word: tables.verdicts("item")[word]["in Chinese"] for word in ("true", "half true", "false")}  # a claim is neither in part true nor a question
#: The verdicts that a claim may have of which a correction says so; a question corrects nothing.
FITTING = {"wrong": {"half true", "false"}, "simplified": {"half true"}, "true of an app, not of the loop": {"half true"}, "depends on the version": {"half true", IN_VERSIONS}, "open question": set()}


@dataclass(frozen=True)
class Verdict:
    word: str  # as the table has it
    corrections: tuple = ()
    see: tuple = ()

    @classmethod
    def of(cls, row):
        return cls(row["verdict"], *(tuple(map(int, row[column].split())) for column in ("corrections", "see")))

    @property
    def kind(self):
        return IN_VERSIONS if self.word.startswith(IN_VERSIONS) else self.word

    @property
    def versions(self):
        return self.word.removeprefix(IN_VERSIONS).split(", ") if self.kind == IN_VERSIONS else []

    def words(self, language):
        """In one language: half true; 部分正确; 在现行版里正确."""
        if language == "en":
            return self.word
        chinese = {english: name for name, english in annotations.VERSIONS.items()}
        return f"在{'、'.join(chinese[version] for version in self.versions)}里正确" if self.versions else WORDS[self.word]

    def behind(self, claim, language):
        """A claim, and the verdict on it unless it is plainly true. The claim comes first: a reader who asks whether something else is true takes a verdict before it for the answer."""
        return claim if self.word == "true" else f"{claim} ({self.words(language)})" if language == "en" else f"{claim}（{self.words(language)}）"


@lru_cache(None)
def verdicts():
    """Of each claim, in the order of the table."""
    return {row["id"]: Verdict.of(row) for row in tables.rows("claims") if not row["reason"]}


def naming(number):
    """The claims that name a correction: those in which it corrects something, and then the others."""
    return sorted((id for id, verdict in verdicts().items() if number in verdict.corrections + verdict.see), key=lambda id: number not in verdicts()[id].corrections)


def contradictions(rows, corrections):
    """A line for each claim and correction that contradict each other without saying so. `rows` are those of claims.tsv; `corrections` have a number, a badge and the names of claims."""
    found = {row["id"]: Verdict.of(row) for row in rows if not row["reason"]}
    for row in rows:
        if row["reason"] and row["verdict"] + row["corrections"] + row["see"]:
            yield f"{row['id']} is a difference, and no claim: it has no verdict"
    for id, verdict in found.items():
        own = f"{id} is “{verdict.word}”"
        if verdict.kind not in (*WORDS, IN_VERSIONS) or not set(verdict.versions) <= set(annotations.VERSIONS.values()):
            yield f"{own}: that is no verdict. One is {', '.join(WORDS)}, or {IN_VERSIONS}VERSIONS"
        if verdict.word == "true" and verdict.corrections:
            yield f"{own}, and yet correction {verdict.corrections[0]} corrects it"
        if verdict.kind in ("half true", "false") and not verdict.corrections:
            yield f"{own}, and names no correction that says why"
        if set(verdict.corrections) & set(verdict.see):
            yield f"{own}, and names a correction in both columns"
        known = {correction.number for correction in corrections}
        if gone := {*verdict.corrections, *verdict.see} - known:
            yield f"{own}, and names a correction that is not there: {min(gone)}"
    for correction in corrections:
        for id in sorted(correction.claims - {*found}):
            yield f"correction {correction.number} names {id}, which is no claim"
        for id, verdict in found.items():
            mine = f"correction {correction.number} ({correction.badge})"
            if correction.number in verdict.corrections and verdict.kind not in FITTING[correction.badge]:
                yield f"{mine} corrects {id}, which is “{verdict.word}”"
            is_named = correction.number in verdict.corrections + verdict.see
            if id in correction.claims and not is_named:
                yield f"{mine} names {id}, which is “{verdict.word}” and does not name it"
            if is_named and id not in correction.claims:
                yield f"{id} names {mine}, whose text does not link {id}"


def problems():
    """The contradictions in the documents as they are, in both languages."""
    for language in ("en", "zh"):
        for line in contradictions(tables.rows("claims"), annotations.corrections(language)):
            yield f"{annotations.document(annotations.CORRECTIONS, language)}, Facts/claims.tsv: {line}"
