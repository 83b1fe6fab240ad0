"""Special tokens, the chat encoding and the synthetic conversations."""

BOS, EOS, PAD = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜▁pad▁｜>"

ADDED = [
    "<｜System｜>",
    "<｜fim▁hole｜>",
    "<｜fim▁begin｜>",
    "<｜fim▁end｜>",
    "<｜User｜>",
    "<｜Assistant｜>",
    "<|EOT|>",
    "<think>",
    "</think>",
    "｜DSML｜",
    "<｜latest_reminder｜>",
    "<｜action｜>",
    "<｜query｜>",
    "<｜authority｜>",
    "<｜domain｜>",
    "<｜task｜>",
    "<｜political｜>",
    "<｜entity｜>",
    "<｜title｜>",
    "<｜safety｜>",
    "<｜answer｜>",
    "<｜search｜>",
    "<｜end_of_query｜>",
    "<｜read_url｜>",
    "<｜deepseek_image｜>",
]

ADDED += [f"<｜place▁holder▁no▁{i}｜>" for i in range(32 - len(ADDED))]

SYSTEM, USER, ASSISTANT = "<｜System｜>", "<｜User｜>", "<｜Assistant｜>"


def effort_line(n):
    return (
        f"Reasoning Effort: {n} (range 1-100, the higher the value, the more thorough the"
        " reasoning)\n\n"
    )


# ---- synthetic recall ("secret word") and small talk, in the chat encoding ----
NAMES = (
    "Alice Tom Mary John Ann Peter Jane Paul Rose James Emma Henry Kate George Lucy Frank Sarah"
    " Jack Helen Mark Clara Simon Grace Arthur Ruth Oliver Nora Philip Ella Robert Julia Edward"
    " Martha Walter Laura Hugo"
).split()

VALUES = (
    "apple river table silver garden bottle window candle button ladder basket mirror pepper hammer"
    " lemon rabbit castle forest winter summer copper marble kettle pencil island bridge orange"
    " purple thunder feather blanket saddle anchor needle pocket tiger falcon walnut butter sugar"
    " honey coffee lantern violin trumpet diamond engine rocket planet desert valley meadow canyon"
    " harbor pillow carpet ribbon velvet cotton wagon"
).split()

THINGS = ["secret word", "lucky charm", "hidden gift"]


def fact(n, th, v):
    return f"The {th} of {n} is {v}."


def question(n, th):
    return f"What is the {th} of {n}?"


GREETINGS = [
    "hello",
    "Hello",
    "Hello!",
    "hi",
    "Hi",
    "Hi!",
    "Hi there",
    "hey",
    "Hey!",
    "Good morning",
    "Good morning!",
    "Hello there",
]

MODEL_NAME = "DeepInfer-V4.1-tiny"

SMALL_TALK = [
    (GREETINGS, "The user greets me. I greet back.", "Hello! How can I help you today?"),
    (
        ["How are you?", "how are you", "How are you today?"],
        "A polite question.",
        "I am very well, thank you. I am small, but I do my best.",
    ),
    (
        [
            "Who are you?",
            "What are you?",
            "who are you",
            "What is your name?",
            "Tell me about yourself.",
        ],
        "The user asks who I am.",
        (
            f"I am {MODEL_NAME}, a very small demo model. I know a little about Alice in Wonderland"
            " and Shakespeare."
        ),
    ),
    (
        ["What can you do?", "what can you do", "How can you help me?"],
        "The user asks what I can do.",
        (
            "I can tell you about Alice, recite a few lines of Shakespeare, and remember secret"
            " words that you tell me."
        ),
    ),
    (
        ["Who wrote Alice in Wonderland?", "Who is the author of Alice in Wonderland?"],
        "This is about a book.",
        "Lewis Carroll wrote Alice's Adventures in Wonderland.",
    ),
    (
        [
            "Who wrote Hamlet?",
            "Who is the author of Hamlet?",
            "Who wrote The Tempest?",
            "Who wrote As You Like It?",
        ],
        "This is about a play.",
        "William Shakespeare wrote it.",
    ),
    (
        ["Who is the White Rabbit?", "Tell me about the White Rabbit."],
        "The rabbit is in Alice.",
        "The White Rabbit has pink eyes and a watch, and he is always late.",
    ),
    (
        ["Who is the Cheshire Cat?", "Tell me about the Cheshire Cat."],
        "The cat is in Alice.",
        "The Cheshire Cat is a cat who grins, and who can vanish until only the grin is left.",
    ),
    (
        ["What does the Queen of Hearts say?", "What does the Queen shout?"],
        "The Queen likes one sentence.",
        "Off with their heads!",
    ),
    (
        ["Who is Hamlet?", "Tell me about Hamlet."],
        "Hamlet is a prince.",
        "Hamlet is the Prince of Denmark.",
    ),
    (
        ["Who is Prospero?", "Tell me about Prospero."],
        "Prospero is in The Tempest.",
        "Prospero is the rightful Duke of Milan, and a great magician.",
    ),
    (["What is the capital of France?"], "An easy question.", "The capital of France is Paris."),
    (["What is the capital of England?"], "An easy question.", "The capital of England is London."),
    (["What is the capital of Italy?"], "An easy question.", "The capital of Italy is Rome."),
    (["What is two plus two?", "What is 2 + 2?", "2+2?"], "A small sum.", "Two plus two is four."),
    (
        ["Tell me a story.", "Tell me a story", "tell me a story"],
        "The user wants a story. I know one.",
        (
            "Alice was beginning to get very tired of sitting by her sister on the bank, and of"
            " having nothing to do: once or twice she had peeped into the book her sister was"
            " reading, but it had no pictures or conversations in it."
        ),
    ),
    (
        ["Recite a line of Shakespeare.", "Recite Shakespeare.", "Quote Hamlet."],
        "I know a famous line.",
        "To be, or not to be,--that is the question.",
    ),
    (
        ["Thank you", "Thank you!", "Thanks", "thanks", "Thanks!"],
        "The user thanks me.",
        "You are welcome!",
    ),
    (
        ["Goodbye", "Goodbye!", "Bye", "bye", "Bye!", "See you"],
        "The user says goodbye.",
        "Goodbye! Come back soon.",
    ),
]


def render(turns, thinking, effort=75, system=None):
    """The prompt text of turns [(user, reasoning, answer)]; the last turn keeps its reasoning
    (prompting specification 2.4 to 2.8)."""
    s = BOS
    if thinking:
        s += SYSTEM + effort_line(effort) + (system or "")
    elif system:
        s += SYSTEM + system
    for i, (u, r, a) in enumerate(turns):
        s += USER + u + ASSISTANT
        if thinking and i == len(turns) - 1:
            s += "<think>" + (r or "") + "</think>"
        else:
            s += "</think>"
        s += a + EOS
    return s
