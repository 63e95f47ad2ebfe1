import { type Behaviour, FAILURE, NEXT, RUNNING, SUCCESS } from '../manifest/behaviour.ts'

/** How a composite goes through its children. */
interface Order {
  /** The answer of a child on which the next one is ticked; the other answer is that of the composite. */
  readonly goesOnAfter: typeof SUCCESS | typeof FAILURE
  /** Every tick begins at the first child. */
  readonly isReactive?: true
}

/** The behaviour of sequences and selectors: their children are ticked one after another within one tick. */
export function oneAfterAnother({ goesOnAfter, isReactive }: Order): Behaviour {
  const success = goesOnAfter === SUCCESS ? NEXT : SUCCESS
  const failure = goesOnAfter === FAILURE ? NEXT : FAILURE
  return { enter: () => 0, flow: { running: RUNNING, success, failure, skipped: NEXT, last: goesOnAfter, isReactive: isReactive === true } }
}
