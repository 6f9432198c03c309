"""What a submission claims, judged: closed to the process in which its code runs."""
