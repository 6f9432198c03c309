"""Seconds in words."""


def duration(seconds: float) -> str:
    """12 s, 3 min 20 s, 2 h 5 min; tenths below ten seconds."""
    whole = round(seconds)
    if whole < 100:
        return f"{whole} s" if seconds >= 10 else f"{seconds:.1f} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
