"""What a submission of the homework is asked, in the process that runs its code."""
