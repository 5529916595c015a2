"""Situations in which programs that answer reviews go wrong; ``test_case_NN…`` tests the one of that number.

``test_said_and_suggested.py``: what reviewers say

 1. a comment is deleted before the fix begins
 2. a comment is deleted while it is fixed
 3. a comment is edited before the fix begins
 4. a comment is edited after it was fixed
 5. a comment is edited while it is fixed
 6. a review is edited
 7. a review is dismissed
 8. a reviewer comments after having approved
 9. a reviewer requests changes a second time
10. a thread is resolved by hand
11. somebody answers our answer
12. a comment is outdated: its lines changed
13. a comment is on a file that was renamed or deleted
14. a comment has no line: it is on the old side, on a file, or on the whole
15. the lines of a suggestion moved, or are there several times
16. two suggestions are for the same lines
17. a suggestion is written in unusual Markdown
18. a suggestion is for a file with unusual line ends
19. a suggestion is of somebody who may not write

``test_request_changes.py``: what becomes of the pull request

20. it is closed
21. it is merged while it is fixed
22. it is reopened
23. it is a draft
24. its base is changed
31. it comes from a fork

``test_branch.py``: what becomes of the branch on the remote

25. it is rewritten before the fix
26. it is rewritten while it is fixed
27. somebody pushes to it while it is fixed
28. it is deleted
29. it is protected
30. the token may not change the files of the fix, such as workflows

``test_working_tree.py``: what is in the way on this machine

32. the branch's working tree is gone
33. somebody works in it
34. it is on another commit or branch
35. git's index is locked

``../watching/test_webhook.py``: how news arrives

36. one review causes several deliveries
37. a delivery is lost
38. a delivery is not signed as it must be
39. a delivery is earlier than what the forge shows
40. a delivery comes twice

``test_twice_and_killed.py``: what is done twice, or half

41. two processes, or machines, answer at once
42. it is killed before the commit
43. it is killed between commit and push
44. it is killed after the push, before the answers
45. an answer's confirmation is lost
46. the store is lost, and with it how often it was tried

``test_fixers.py`` and, of quotas, ``test_quotas.py``: what fixers do

47. a fixer changes nothing
48. a fixer commits and pushes by itself
49. a fixer edits what it must not
50. a fix brings something new that blocks
51. a fixer takes too long, or a quota is used up
52. a fix breaks a check

``test_trust.py``: whose words these are

53. somebody whom nobody trusts gives orders
54. an order is hidden in what a page does not show
55. our own words, or our own account's
56. bots that answer one another
61. bodies are empty, huge, or of odd characters

``../forges/``: how a forge answers

57. a limit of requests is reached
58. an answer is lost, late or broken
59. a part of the feedback cannot be read
60. the clock of this machine is wrong

``test_repositories.py``: what repositories hold

62. odd names, links, submodules, hooks, shallow and sparse clones, pointers, bytes that are no text
"""
