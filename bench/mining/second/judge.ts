import type { MiningReport } from '../../../packages/reflex/src/learn/mine/mine.ts'
import type { MinedPattern } from '../../../packages/reflex/src/learn/mine/pattern.ts'
import { operationShape } from '../../../packages/reflex/src/learn/shapes/operation-shape.ts'
import { drawFrom } from './draw.ts'
import { argumentsOf, type Procedure } from './procedures.ts'

/** How many of the procedures of a log the miner found, and how many of its findings are procedures. */
export interface Judgement {
  readonly precision: number
  readonly recall: number
  /** F1 over arguments that vary: each is a slot, or comes from an earlier call. */
  readonly slots: number
  /** Traps of which something was found. */
  readonly leaked: readonly string[]
  readonly missed: readonly string[]
  readonly extra: readonly string[]
}

/** Compares the patterns of a report with the procedures that a log follows: exact sequences, and the kind of each argument. */
export function judge(all: readonly Procedure[], { patterns }: MiningReport): Judgement {
  const wanted = new Map(all.filter(({ trap }) => trap === undefined).map((one) => [keyOf(symbolsOf(one)), one]))
  // A secret can become an input by name, so its procedure is neither wanted nor a mistake.
  const allowed = new Set(all.filter(({ trap }) => trap === 'secret').map((one) => keyOf(symbolsOf(one))))
  const counted = patterns.filter(({ symbols }) => !allowed.has(keyOf(symbols)))
  const hits = patterns.filter(({ symbols }) => wanted.has(keyOf(symbols)))
  const found = new Set(hits.map(({ symbols }) => keyOf(symbols)))
  const counts = { right: 0, found: 0, planted: 0 }
  for (const pattern of hits) {
    const procedure = wanted.get(keyOf(pattern.symbols))
    if (procedure !== undefined) compare(procedure, pattern, counts)
  }
  return {
    precision: counted.length === 0 ? 0 : hits.length / counted.length,
    recall: hits.length / wanted.size,
    slots: (2 * counts.right) / (counts.found + counts.planted || 1),
    leaked: all.filter((one) => one.trap !== undefined && isLeaked(one, patterns)).map(({ name }) => name),
    missed: [...wanted].filter(([key]) => !found.has(key)).map(([, { name }]) => name),
    extra: counted.filter(({ symbols }) => !wanted.has(keyOf(symbols))).map(({ symbols }) => symbols.join(' ')),
  }
}

function symbolsOf({ operations }: Procedure): readonly string[] {
  const draw = drawFrom(1)
  return operations.map((one) => operationShape(one.tool, argumentsOf(one, { typed: 'a', ids: [] }, draw)))
}

function keyOf(symbols: readonly string[]): string {
  return symbols.join('\n')
}

/** A part of a trap that is found is a leak. Of the secret, only the secret itself is. */
function isLeaked(trap: Procedure, patterns: readonly MinedPattern[]): boolean {
  const symbols = new Set(symbolsOf(trap))
  const touching = patterns.filter((pattern) => pattern.symbols.some((symbol) => symbols.has(symbol.replace(/\+$/, ''))))
  if (trap.trap === 'secret') return touching.some(({ template }) => JSON.stringify(template.steps).includes('‹secret'))
  return touching.length > 0
}

function compare({ operations }: Procedure, { template }: MinedPattern, counts: { right: number; found: number; planted: number }): void {
  const expected = new Map<string, string>()
  for (const [step, { args }] of operations.entries())
    for (const { path, flow } of args) if (flow !== 'fixed') expected.set(`${step}/${path.join('/')}`, flow === 'earlier' ? 'step' : 'slot')
  counts.planted += expected.size
  for (const [i, { step, path }] of template.places.entries()) {
    counts.found++
    const kind = template.rules[i]?.some((piece) => piece.kind === 'slot') === true ? 'slot' : 'step'
    if (expected.get(`${step}/${path.join('/')}`) === kind) counts.right++
  }
}
