import { type FaultType, FAULT_TYPES } from './fault-type.ts'

/** One blow: it strikes a life at moment `at`, counted from 1, or at the next one where it can happen. */
export interface Injection {
  readonly at: number
  readonly fault: FaultType
}

/** What a run is put through: data, so that it can be written down and tried again. */
export interface FaultPoint {
  /** For the first life, the second and so on; the life after the last is left alone. */
  readonly injections: readonly Injection[]
  /** Circumstances that hold for all lives. */
  readonly circumstances: ReadonlySet<Circumstance>
}

/**
 * - `slow`: the store answers later, as from another machine.
 * - `posts`: answers and messages go into the inbox of the store, as other processes tell them.
 * - `apart`: each life is on a machine of its own, so that only silence tells that one is over.
 * - `retries`, `leaves`, `lingers`: after a failure of the store the process opens the run again, or closes in good order, or
 *   lives on and leaves the run to others. Else it crashes.
 */
export const CIRCUMSTANCES = ['slow', 'posts', 'apart', 'retries', 'leaves', 'lingers'] as const

export type Circumstance = (typeof CIRCUMSTANCES)[number]

/** A point as text, such as `14 die, 3 tear, slow, posts`. */
export function pointText({ injections, circumstances }: FaultPoint): string {
  return [...injections.map(({ at, fault }) => `${at} ${fault}`), ...CIRCUMSTANCES.filter((one) => circumstances.has(one))].join(', ')
}

/** The point of a text. Throws a `SyntaxError` that says what is wrong. */
export function parsePoint(text: string): FaultPoint {
  const injections: Injection[] = []
  const circumstances = new Set<Circumstance>()
  for (const part of text.split(',').map((one) => one.trim())) {
    const [, number, word] = /^(?:(\d+) )?([a-z]+)$/.exec(part) ?? []
    const fault = FAULT_TYPES.find((one) => one === word)
    const circumstance = CIRCUMSTANCES.find((one) => one === word)
    if (number !== undefined && fault !== undefined) injections.push({ at: Number(number), fault })
    else if (number === undefined && circumstance !== undefined) circumstances.add(circumstance)
    else
      throw new SyntaxError(
        `a point has parts such as \`14 die\` with ${FAULT_TYPES.join(', ')}, and ${CIRCUMSTANCES.join(', ')}; not \`${part}\``,
      )
  }
  return { injections, circumstances }
}
