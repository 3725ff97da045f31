"""Whether this process is a command of the command line, and nothing else of Python's world will be asked for.

`onlineboost.cli.program` says so before anything else is imported. `_scikit` then takes stand-ins for what the package
uses of scikit-learn and SciPy: importing both takes longer than learning a data set such as adult.
"""

alone = False
