"""What a node answers, piece by piece: where the pieces end makes no difference, and nothing foreign is believed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedctl.transport.base import Command
from schedctl.transport.ssh_envelope import HOWS, Answer, End, Frame, Gap, Limits, Piece, Word, name_of, start_script

NONCE = "n0nce"


def heard(*chunks: bytes, stdout: int = 0, stderr: int = 0) -> list[Frame]:
    answer = Answer(NONCE, stdout, stderr)
    return [frame for chunk in chunks for frame in answer.feed(chunk)]


def merged(frames: list[Frame]) -> list[Frame]:
    """Pieces of one stream that follow each other as one."""
    result: list[Frame] = []
    for frame in frames:
        last = result[-1] if result else None
        if isinstance(frame, Piece) and isinstance(last, Piece) and frame.stream == last.stream:
            result[-1] = Piece(last.stream, last.data + frame.data)
        else:
            result.append(frame)
    return result


def test_an_answer_is_read_as_it_was_said() -> None:
    said = b"welcome\nno line end n0nce\no 0 6\nend x\ne 0 4\n\0\xff\n\no 6 1\n?end exited 3 0\n"
    assert heard(said) == [
        Word("hello"),
        Piece("stdout", b"end x\n"),  # data that looks like a frame is data
        Piece("stderr", b"\0\xff\n\n"),
        Piece("stdout", b"?"),
        End("exited", 3, 0),
    ]


@given(st.lists(st.tuples(st.sampled_from("oe"), st.binary(max_size=40))), st.data())
def test_where_the_chunks_end_makes_no_difference(pieces: list[tuple[str, bytes]], data: st.DataObject) -> None:
    said, sizes = bytearray(b"n0nce\n"), {"o": 0, "e": 0}
    for tag, content in pieces:
        if content:
            said += b"%s %d %d\n%s" % (tag.encode(), sizes[tag], len(content), content)
            sizes[tag] += len(content)
    said += b"end timed_out 143 2\n"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(said)), max_size=8)))
    chunks = [bytes(said[start:end]) for start, end in zip([0, *cuts], [*cuts, len(said)], strict=True)]
    assert merged(heard(*chunks)) == merged(heard(bytes(said)))
    assert heard(*chunks)[-1] == End("timed_out", 143, 2)


@pytest.mark.parametrize("how", HOWS)
def test_every_way_to_end_is_understood(how: str) -> None:
    (_, end) = heard(f"n0nce\nend {how} 7 1\n".encode())
    assert isinstance(end, End)
    assert (end.how, end.code, end.left) == (how, 7, 1)


@pytest.mark.parametrize(
    "said",
    [
        b"o 5 3\nabc",  # a gap: the first five bytes never came
        b"end well 0 0\n",
        b"end exited -1 0\n",
        b"o 0 -3\n",
        b"skip o 5 9\n",
        b"skip o 0 0\n",
        b"surprise\n",
        b"x" * 70_000,
    ],
)
def test_what_is_not_the_envelope_is_not_believed(said: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        heard(b"n0nce\n" + said)


def test_a_second_connection_goes_on_where_the_first_was_cut() -> None:
    assert heard(b"n0nce\no 5 3\nabc", stdout=5) == [Word("hello"), Piece("stdout", b"abc")]


def test_what_was_given_up_is_skipped() -> None:
    said = b"n0nce\no 0 3\nabcskip o 3 1000\no 1000 1\nz"
    assert heard(said) == [Word("hello"), Piece("stdout", b"abc"), Gap("stdout", 997), Piece("stdout", b"z")]


def test_nothing_is_believed_before_the_greeting() -> None:
    assert heard(b"end exited 0 0\no 0 5\nhello\n") == []


@pytest.mark.parametrize("label", ["../../etc", "a b", "-x", "", "a/b", "a\nb", "あ"])
def test_a_name_that_would_leave_its_folder_is_refused(label: str) -> None:
    with pytest.raises(ValueError, match="cannot name a start"):
        name_of(Command(("true",), 1, "UTC", label))


def test_a_word_with_a_null_byte_can_be_given_to_no_program() -> None:
    with pytest.raises(ValueError, match="null"):
        start_script(Command(("printf", "a\0b"), 1, "UTC", "label"), NONCE, Limits())
