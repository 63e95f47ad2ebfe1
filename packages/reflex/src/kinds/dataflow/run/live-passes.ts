import type { Frame, Input } from '../../../kernel/index.ts'
import type { Taken } from './taken.ts'

interface LastPasses {
  readonly record: number
  readonly input: Input | undefined
  readonly taken: Taken
}

/** The passes of the last step of each frame that this process runs: who reads the record at once need not compute them again. */
const last = new WeakMap<Frame, LastPasses>()

/** Keeps the passes of a step until the next one of its frame. */
export function keepPasses(frame: Frame, passes: LastPasses): void {
  last.set(frame, passes)
}

/** Returns the passes of a record if the last step of the frame has made it. */
export function keptPasses(frame: Frame, record: number, input: Input | undefined): Taken | undefined {
  const kept = last.get(frame)
  return kept?.record === record && isSame(kept.input, input) ? kept.taken : undefined
}

/** A step that leaves some of its messages has a shorter input on record. */
function isSame(input: Input | undefined, recorded: Input | undefined): boolean {
  return input === recorded || (input?.[0] === 'messages' && recorded?.[0] === 'messages' && input[1] === recorded[1])
}
