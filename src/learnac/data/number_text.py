"""Numbers as text."""


def number_text(number: float) -> str:
    """The shortest text that reads back as the same number; whole numbers without a decimal point."""
    if abs(number) < 1e16 and number == int(number):
        return str(int(number))
    return repr(float(number))
