import type { Behaviour, Outcome } from '../manifest/behaviour.ts'

/** The behaviour of a decorator that ticks its child with every tick and answers with `change` of the child's answer. */
export function decorate(change: (outcome: Outcome) => Outcome): Behaviour {
  return { enter: () => 0, resume: () => 0, child: (_tick, _node, _child, outcome) => change(outcome) }
}
