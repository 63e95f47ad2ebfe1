import type { Json } from '../../kernel/index.ts'
import type { RunRead } from '../shapes/call-sequence.ts'
import { layoutOf } from './argument-form.ts'
import { generativeSlot } from './generative.ts'
import { OutputCounter } from './outputs.ts'
import type { FilledRow, MinedOutput, MinedSlot } from './pattern.ts'
import { type NoTemplate, propose } from './propose.ts'
import type { Row, RowSource, RowWish } from './rows.ts'
import { Shared } from './shared.ts'
import { SlotFactsCollector } from './slot-facts.ts'
import { slotNames } from './slot-names.ts'
import type { PatternTemplate } from './template.ts'
import { spread } from './values.ts'
import { fitRow } from './verify.ts'

/** The number of occurrences that propose rules, and of those that are added because the rules were too narrow for them. */
const PROPOSING = 256
const ADDED = 64
/** The share of occurrences for which a template may be too narrow before it is widened. */
const NARROW = 0.01
/** Occurrences that test the skill: a tenth, at least 5, at most 20. With fewer than 10 there are none to spare. */
const [FEWEST_HELD, MOST_HELD, ENOUGH] = [5, 20, 10]
const MOST_SOURCES = 20
const MOST_FAILED = 256

/** The rejection of a pattern whose arguments have no usable template. */
export interface NoRules {
  readonly reason: NoTemplate['reason'] | 'generative_slot'
  readonly detail: string
}

/** What was found about the arguments of a pattern. */
export interface FoundRules {
  readonly template: PatternTemplate
  readonly tools: readonly string[]
  readonly slots: readonly MinedSlot[]
  readonly outputs: readonly MinedOutput[]
  readonly training: number
  readonly exceptions: number
  readonly heldBack: readonly FilledRow[]
  readonly evidence: readonly FilledRow[]
  readonly sources: readonly RowSource[]
  readonly labels: Readonly<Record<string, string>>
  readonly facts: Readonly<Record<string, Json>>
  readonly invariants: readonly (readonly [path: string, value: Json])[]
}

/** Finds the rules of one pattern in rounds: some occurrences propose them, all verify them, and those that do not fit widen them. */
export class Generalisation {
  readonly #length: number
  readonly #training: readonly number[]
  readonly #held: readonly number[]
  readonly #failed: readonly number[]
  readonly #agreement: number
  #rows: Row[] = []
  #layout = ''
  #template: PatternTemplate | undefined
  #rejected: NoRules | undefined
  #narrow: Row[] = []
  #counts = { fits: 0, exceptions: 0, narrow: 0 }
  #slots: SlotFactsCollector[] = []
  #shared = new Shared()
  #sources: RowSource[] = []
  readonly #outputs = new OutputCounter()
  readonly #heldRows: Row[] = []
  readonly #failedFacts: ReadonlyMap<string, Json>[] = []

  /** `succeeded`, `failed`: the places of the first call of occurrences, ascending. */
  constructor(length: number, succeeded: readonly number[], failed: readonly number[], agreement: number) {
    const held = succeeded.length < ENOUGH ? 0 : Math.min(MOST_HELD, Math.max(FEWEST_HELD, Math.floor(succeeded.length / 10)))
    const isHeld = new Set(spread(succeeded.length, held + 2).slice(1, -1))
    this.#length = length
    this.#held = held === 0 ? [] : succeeded.filter((_, i) => isHeld.has(i))
    this.#training = held === 0 ? succeeded : succeeded.filter((_, i) => !isHeld.has(i))
    this.#failed = spread(failed.length, MOST_FAILED).map((i) => failed[i] ?? 0)
    this.#agreement = agreement
  }

  /** The occurrences that propose rules, those that are held back, and some that failed. */
  first(): readonly RowWish[] {
    const proposing = spread(this.#training.length, PROPOSING).map((i) => this.#training[i] ?? 0)
    return [
      ...this.#wishes(proposing, (row, read) => {
        this.#rows.push(row)
        this.#outputs.add(row, read)
      }),
      ...this.#wishes(this.#held, (row) => this.#heldRows.push(row)),
      ...this.#wishes(this.#failed, ({ facts }) => this.#failedFacts.push(facts)),
    ]
  }

  /** Proposes rules from the rows so far. Returns the occurrences that verify them; none if the pattern is rejected. */
  propose(): readonly RowWish[] {
    this.#layout = usualLayout(this.#rows)
    const rows = this.#rows.filter((row) => layoutOfRow(row) === this.#layout)
    const counted = rows.filter((row) => this.#rows.indexOf(row) < PROPOSING).length
    const found = propose(rows, counted, this.#agreement)
    this.#rejected = 'reason' in found ? found : generativeRejection(found, this.#rows)
    if ('reason' in found || this.#rejected !== undefined) return []
    this.#template = found
    this.#narrow = []
    this.#counts = { fits: 0, exceptions: 0, narrow: 0 }
    this.#slots = found.slots.map(() => new SlotFactsCollector())
    this.#shared = new Shared()
    this.#sources = []
    const keep = new Set(spread(this.#training.length, MOST_SOURCES).map((i) => this.#training[i]))
    return this.#wishes(this.#training, (row, read) => this.#verify(found, row, read, keep.has(row.place)))
  }

  #verify(template: PatternTemplate, row: Row, { shape }: RunRead, isSource: boolean): void {
    const fit = layoutOfRow(row) === this.#layout ? fitRow(template, row) : ({ kind: 'exception' } as const)
    if (fit.kind === 'narrow') {
      this.#counts.narrow++
      if (this.#narrow.length < ADDED) this.#narrow.push(row)
    }
    if (fit.kind === 'exception') this.#counts.exceptions++
    if (isSource && this.#sources.every(({ run }) => run !== row.source.run)) this.#sources.push(row.source)
    if (fit.kind !== 'fits') return
    this.#counts.fits++
    for (const [i, slot] of this.#slots.entries()) slot.add(fit.slots[i] ?? null)
    this.#shared.add(shape.labels, row.facts)
  }

  /** Adds occurrences for which the rules were too narrow to those that propose. False if the rules hold as they are. */
  widen(): boolean {
    if (this.#template === undefined || this.#counts.narrow <= NARROW * this.#training.length) return false
    const known = new Set(this.#rows.map(({ place }) => place))
    const added = this.#narrow.filter(({ place }) => !known.has(place))
    this.#rows.push(...added)
    return added.length > 0
  }

  /** Returns the rules, or why there are none. */
  result(): FoundRules | NoRules {
    const template = this.#template
    const [sample] = this.#rows
    if (this.#rejected !== undefined) return this.#rejected
    if (template === undefined || sample === undefined) return { reason: 'exceptions', detail: 'no occurrence can be read' }
    const filled = this.#rows.flatMap((row) => filledRow(template, row))
    const names = slotNames(template, filled[0]?.row ?? sample)
    const { labels, facts } = this.#shared
    return {
      template,
      tools: sample.tools,
      slots: template.slots.map(({ origin, path, leaf }, i) => ({
        ...(origin === 'secret'
          ? { type: 'secret_ref' as const }
          : (this.#slots[i]?.facts(template.places[leaf]?.isWord === true) ?? { type: 'string' })),
        name: names[i] ?? '',
        origin,
        ...(path === undefined ? {} : { path }),
      })),
      outputs: this.#outputs.found(),
      training: this.#training.length,
      exceptions: this.#counts.exceptions + this.#counts.narrow,
      heldBack: this.#heldRows.map((row) => filledRow(template, row)[0] ?? { row, slots: [] }),
      evidence: spread(filled.length, 3).flatMap((i) => filled[i] ?? []),
      sources: this.#sources,
      labels,
      facts,
      invariants: this.#shared.invariants(this.#failedFacts),
    }
  }

  #wishes(places: readonly number[], take: RowWish['take']): readonly RowWish[] {
    return places.map((place) => ({ place, length: this.#length, take }))
  }
}

function filledRow(template: PatternTemplate, row: Row): readonly FilledRow[] {
  const fit = fitRow(template, row)
  return fit.kind === 'fits' ? [{ row, slots: fit.slots }] : []
}

function generativeRejection(template: PatternTemplate, rows: readonly Row[]): NoRules | undefined {
  const filled = rows.flatMap((row) => filledRow(template, row))
  const slot = generativeSlot(template, filled)
  const [first] = filled
  return slot === undefined || first === undefined
    ? undefined
    : { reason: 'generative_slot', detail: slotNames(template, first.row)[slot] ?? '' }
}

function layoutOfRow({ args }: Row): string {
  return args.map(layoutOf).join('\f')
}

/** Returns the layout of most rows; of several, the first one in the order of texts. */
function usualLayout(rows: readonly Row[]): string {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const layout = layoutOfRow(row)
    counts.set(layout, (counts.get(layout) ?? 0) + 1)
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? ''
}
