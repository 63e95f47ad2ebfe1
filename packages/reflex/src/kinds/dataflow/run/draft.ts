import type { Fault, Json } from '../../../kernel/index.ts'
import type { BoundContext } from '../adapter/bind-event.ts'
import type { NodeTrace, PassResult } from '../pass/evaluate.ts'
import { Fingerprint } from './fingerprint.ts'
import type { GraphPosition, PendingIntent } from './position.ts'
import type { PassReport, Refusal } from './taken.ts'

/** The parts of a report that the pass itself gives; undefined if none ran. */
interface PassParts {
  readonly snapshot: BoundContext | undefined
  readonly result: PassResult | undefined
  readonly trace: NodeTrace[] | undefined
  readonly fork: string | undefined
}

/** Returns the report of a decision, with the last pass that was run. */
export function reportOf(
  { event, merged, decision }: Pick<PassReport, 'event' | 'merged' | 'decision'>,
  { snapshot, result, trace, fork }: PassParts,
): PassReport {
  const report = passReport({ event, merged, decision }, snapshot, result)
  if (trace === undefined && fork === undefined) return report
  return { ...report, ...(fork === undefined ? {} : { fork }), ...(trace === undefined ? {} : { trace }) }
}

function passReport(
  { event, merged, decision }: Pick<PassReport, 'event' | 'merged' | 'decision'>,
  context: BoundContext | undefined,
  result: PassResult | undefined,
): PassReport {
  if (context === undefined || result === undefined) return { event, merged, decision, effects: [] }
  return 'error' in result
    ? { event, merged, decision, context, effects: [], failure: result.error.fault }
    : { event, merged, decision, context, outputs: result.outputs, effects: result.effects }
}

/** The passes, refusals and intents of one step so far. */
export class Draft {
  readonly passes: PassReport[] = []
  readonly refusals: Refusal[] = []
  readonly intents: PendingIntent[] = []
  held: readonly Json[]
  fatal: Fault | undefined
  readonly #fingerprint = new Fingerprint()

  constructor({ held }: GraphPosition) {
    this.held = held
  }

  /** True once no further event may be taken: an intent is acknowledged first. */
  get isOver(): boolean {
    return this.intents.length > 0 || this.fatal !== undefined
  }

  refuse(refusal: Refusal): void {
    this.refusals.push(refusal)
  }

  add(report: PassReport): void {
    this.passes.push(report)
    const { outputs, effects } = report
    if (outputs !== undefined) {
      this.#fingerprint.add(outputs)
      this.#fingerprint.add(effects)
    }
  }

  get fingerprint(): number {
    return this.#fingerprint.value
  }

  get counts(): { readonly taken: number; readonly refused: number; readonly failed: number } {
    return {
      taken: this.passes.filter(({ event }) => event.kind !== 'Pump').length,
      refused: this.refusals.length,
      failed: this.passes.filter(({ failure }) => failure !== undefined).length,
    }
  }
}
