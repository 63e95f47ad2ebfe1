import { type Behaviour, FAILURE, type Outcome, RUNNING, SKIPPED, SUCCESS } from '../manifest/behaviour.ts'

/** The behaviour of a decorator that ticks its child with every tick and answers with `change` of the child's answer. */
export function decorate(change: (outcome: Outcome) => Outcome): Behaviour {
  const [running, success, failure, skipped] = [change(RUNNING), change(SUCCESS), change(FAILURE), change(SKIPPED)]
  return { enter: () => 0, flow: { running, success, failure, skipped, last: success, isReactive: true } }
}
