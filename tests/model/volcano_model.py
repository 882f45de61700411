"""A second reading of the Volcano specification: answers to questions as `pumice eval` gets them.

`answer(op, args)` gives what `ok` should hold. Decisions come from the specification; only the forms of the answers
were taken from the program.
"""

import callbacks
import decide
import execute


def answer(op, args):
    if op == 'volcano.request':
        return callbacks.callback(args)
    if op == 'volcano.applyPolicies':
        return decide.apply_policies(args['job'], args['request'])
    if op == 'volcano.transition':
        return decide.transition(args)
    if op == 'volcano.execute':
        return execute.execute(args)
    raise ValueError('no model of ' + op)
