"""Every sentence with which asking a model can end, except those about the answer's content (see `answer`)."""

from __future__ import annotations

from typing import Final

from schedctl.errors import PlanError
from schedctl.language import Text

EXACT_NAMES: Final = Text(
    "アクション名をそのまま書けば、言語モデルがなくても登録できます（例: marsのapt.updateを実行して）",
    "An exact action name needs no language model (for example: run apt.update on mars)",
)
CHECK_URL: Final = Text(
    "SCHEDCTL_PLANNER_URL と SCHEDCTL_PLANNER（ollama か openai）を確認してください",
    "Check SCHEDCTL_PLANNER_URL and SCHEDCTL_PLANNER (ollama or openai)",
)
BIGGER: Final = Text(
    "もっと大きいモデルを SCHEDCTL_PLANNER_MODEL に設定するか、タスクを短く分けてください",
    "Set a larger model in SCHEDCTL_PLANNER_MODEL, or split the task into shorter ones",
)
REPHRASE: Final = Text(
    f"言い方を変えてみてください。{EXACT_NAMES.ja}", f"Try saying it in other words. {EXACT_NAMES.en}"
)


def unavailable(ja: str, en: str, hint: Text = EXACT_NAMES) -> PlanError:
    """No answer could be had from the server."""
    return PlanError("planner_unavailable", Text(ja, en), hint)


def invalid(ja: str, en: str, hint: Text = REPHRASE) -> PlanError:
    """An answer came, and no plan can be made of it."""
    return PlanError("planner_invalid", Text(ja, en), hint)


def bad_address() -> PlanError:
    """The configured address is none; it may carry a password, so it is not repeated."""
    return unavailable(
        "SCHEDCTL_PLANNER_URL は http(s) のアドレスとして読めません",
        "SCHEDCTL_PLANNER_URL is not an http(s) address",
        Text("http://127.0.0.1:11434 のように書いてください", "Write it like http://127.0.0.1:11434"),
    )


def bad_key() -> PlanError:
    """The API key cannot stand in a header."""
    return unavailable(
        "SCHEDCTL_PLANNER_API_KEY に、ヘッダーに入れられない文字（改行や全角文字など）があります",
        "SCHEDCTL_PLANNER_API_KEY has characters that cannot stand in a header (a line break, perhaps)",
        Text("値の前後の空白と改行を取り除いてください", "Remove the spaces and line breaks around its value"),
    )


def unreachable(where: str) -> PlanError:
    """Nobody answered at the address."""
    return unavailable(
        f"言語モデルのサーバー（{where}）につながりません",
        f"The language model server ({where}) cannot be reached",
        Text(
            f"サーバーが動いているか、SCHEDCTL_PLANNER_URL が正しいかを確認してください。{EXACT_NAMES.ja}",
            f"Check that it runs and that SCHEDCTL_PLANNER_URL is right. {EXACT_NAMES.en}",
        ),
    )


def unproven(where: str) -> PlanError:
    """TLS could not establish who answers."""
    return unavailable(
        f"言語モデルのサーバー（{where}）の証明書を確かめられないため、接続をやめました",
        f"The certificate of the language model server ({where}) could not be verified, so nothing was sent",
        Text(
            "サーバーの証明書と、SCHEDCTL_PLANNER_URL のホスト名を確認してください",
            "Check the server's certificate and the host name in SCHEDCTL_PLANNER_URL",
        ),
    )


def broken(where: str) -> PlanError:
    """The connection ended before the answer did."""
    return unavailable(
        f"言語モデルのサーバー（{where}）との接続が、応答の途中で切れました",
        f"The connection to the language model server ({where}) ended before its answer did",
        Text(
            f"サーバーのログを確認し、もう一度試してください。{EXACT_NAMES.ja}",
            f"Look at the server's log and try again. {EXACT_NAMES.en}",
        ),
    )


def slow(where: str, seconds: float) -> PlanError:
    """No answer came in time."""
    return unavailable(
        f"言語モデルのサーバー（{where}）が{seconds:g}秒以内に応答しませんでした",
        f"The language model server ({where}) did not answer within {seconds:g} seconds",
        Text(
            "最初の呼び出しはモデルの読み込みに時間がかかります。少し待ってからもう一度試すか、小さいモデルに替えてください",
            "The first call loads the model and takes long: try again in a while, or choose a smaller model",
        ),
    )


def redirected(where: str, status: int) -> PlanError:
    """The server sends us elsewhere; the task and the key go only to the configured place."""
    return unavailable(
        f"言語モデルのサーバー（{where}）が別のアドレスへの転送（{status}）を返しました。転送先には送りません",
        f"The language model server ({where}) answered with a redirect ({status}), which is not followed",
        Text(
            "最終的なアドレスを SCHEDCTL_PLANNER_URL に書いてください",
            "Write the final address in SCHEDCTL_PLANNER_URL",
        ),
    )


def missing_model(where: str, model: str, *, ollama: bool) -> PlanError:
    """The server works, and does not have the model."""
    fetch = Text(f"`ollama pull {model}` で取得してください", f"Fetch it: `ollama pull {model}`")
    named = Text("SCHEDCTL_PLANNER_MODEL の名前を確認してください", "Check the name in SCHEDCTL_PLANNER_MODEL")
    return unavailable(
        f"言語モデル「{model}」が {where} にありません",
        f"There is no language model “{model}” on {where}",
        fetch if ollama else named,
    )


def status(where: str, code: int) -> PlanError:
    """The server answered with an HTTP status that is no answer. Its text is not repeated: it may quote the key."""
    ja, en, hint = _STATUS.get(code) or (_SERVER_FAULT if code >= 500 else _OTHER_STATUS)
    return unavailable(
        f"言語モデルのサーバー（{where}）が{ja}（HTTP {code}）",
        f"The language model server ({where}) {en} (HTTP {code})",
        hint,
    )


def oversize(where: str, limit: int) -> PlanError:
    """The answer is longer than any plan; reading stopped."""
    return invalid(
        f"言語モデルのサーバー（{where}）の応答が{limit:,}バイトを超えたため、読むのをやめました",
        f"The answer of the language model server ({where}) is longer than {limit:,} bytes; reading stopped there",
        CHECK_URL,
    )


def not_the_api() -> PlanError:
    """What answered speaks another protocol: an HTML page, another API."""
    return invalid(
        "応答が言語モデルの API の形式ではありません（HTML のページなど、別のものが応答しています）",
        "The response is not that of a language model's API (an HTML page, perhaps, or another service)",
        CHECK_URL,
    )


def prompt_was_cut() -> PlanError:
    """The model saw only part of the catalog or of the task."""
    return invalid(
        "サーバーが質問文を途中で切ったため、言語モデルはカタログの一部しか読んでいません。答えは使いません",
        "The server cut the question, so the model read only part of the catalog; its answer is not used",
        Text(
            "文脈長（コンテキスト）の大きいモデルを選ぶか、サーバーの文脈長を増やしてください",
            "Choose a model with a longer context, or raise the server's context length",
        ),
    )


def cut() -> PlanError:
    """The answer ended at a length limit; the rest of a plan is never guessed."""
    return invalid(
        "言語モデルの答えが長さの上限で途切れました。途切れた計画は使いません",
        "The model's answer was cut at its length limit; a cut plan is not used",
        BIGGER,
    )


def thought_only() -> PlanError:
    """All tokens went into thinking."""
    return invalid(
        "言語モデルが考えるだけで上限を使い切り、答えがありませんでした",
        "The model used its whole budget for thinking and gave no answer",
        Text(
            "考える機能（thinking）を切ったモデルか、考えない種類のモデルを使ってください",
            "Use a model with thinking switched off, or one that does not think",
        ),
    )


def withheld() -> PlanError:
    """The provider's filter, or the model, would not answer."""
    return invalid(
        "言語モデルの提供元が、このタスクへの回答を断りました",
        "The language model's provider declined to answer this task",
    )


def nothing_to_choose() -> PlanError:
    """There is no action that a node could do: a model has nothing to choose from."""
    return PlanError(
        "unknown_action",
        Text(
            "カタログに、いまあるノードで実行できるアクションが1つもありません",
            "The catalog has no action that one of its nodes can do",
        ),
        Text(
            "`schedctl catalog check` でカタログを確認してください", "Look at the catalog with `schedctl catalog check`"
        ),
    )


_Case = tuple[str, str, Text]
_KEY: Final = Text("SCHEDCTL_PLANNER_API_KEY を確認してください", "Check SCHEDCTL_PLANNER_API_KEY")
_LATER: Final = Text(
    f"少し待ってからもう一度試してください。{EXACT_NAMES.ja}", f"Try again in a while. {EXACT_NAMES.en}"
)
_UNSUITABLE: Final = Text(
    "モデルが構造化出力に対応しているか、文脈長が足りているかを、サーバーのログで確認してください",
    "See in the server's log whether the model knows structured output and whether its context is long enough",
)
_STATUS: Final[dict[int, _Case]] = {
    400: ("要求を受け付けませんでした", "did not accept the request", _UNSUITABLE),
    401: ("認証を求めています", "wants authentication", _KEY),
    403: ("アクセスを許していません", "does not allow access", _KEY),
    404: ("このアドレスにはないと答えました", "has nothing at this address", CHECK_URL),
    413: ("要求が大きすぎると答えました", "finds the request too large", _UNSUITABLE),
    422: ("要求を受け付けませんでした", "did not accept the request", _UNSUITABLE),
    429: ("利用制限中です", "is limiting requests", _LATER),
}
_SERVER_FAULT: Final[_Case] = ("エラーを返しました", "failed", _LATER)
_OTHER_STATUS: Final[_Case] = ("想定外の応答を返しました", "answered in an unexpected way", CHECK_URL)
