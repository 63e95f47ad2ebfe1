import { type FaultType, FAULT_TYPES } from './fault-type.ts'

/**
 * A fault and the moment of a life at which it is injected. `at` counts from 1. If the fault is not possible at that moment, it is injected
 * at the next possible one.
 */
export interface Injection {
  readonly at: number
  readonly fault: FaultType
}

/** The faults and circumstances of one trial. A point is data, so it can be written down and repeated. */
export interface FaultPoint {
  /** The faults for the first life, the second life, and so on. No fault is injected into later lives. */
  readonly injections: readonly Injection[]
  /** Circumstances that apply to all lives. */
  readonly circumstances: ReadonlySet<Circumstance>
}

/**
 * The circumstances of a trial:
 *
 * - `slow`: the store answers later, as from another machine.
 * - `posts`: answers and messages go to the inbox of the store, as from other processes.
 * - `apart`: each life is on its own machine, so that only missing heartbeats show that a life is over.
 * - `retries`, `leaves`, `lingers`: after a failure of the store, the process opens the run again; or closes in order; or stays alive and
 *   leaves the run to other processes. Without these, the process crashes.
 */
export const CIRCUMSTANCES = ['slow', 'posts', 'apart', 'retries', 'leaves', 'lingers'] as const

export type Circumstance = (typeof CIRCUMSTANCES)[number]

/** Returns a point as text, such as `14 die, 3 tear, slow, posts`. */
export function pointText({ injections, circumstances }: FaultPoint): string {
  return [...injections.map(({ at, fault }) => `${at} ${fault}`), ...CIRCUMSTANCES.filter((one) => circumstances.has(one))].join(', ')
}

/** Reads a point from its text. Throws a `SyntaxError` that names the invalid part. */
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
        `\`${part}\` is not a part of a point; write a moment and a fault, such as \`14 die\` (${FAULT_TYPES.join(', ')}), or a circumstance (${CIRCUMSTANCES.join(', ')})`,
      )
  }
  return { injections, circumstances }
}
