"""What is shown to people: text for terminals and files, and how it is made safe for them."""
