import type { Json } from '../../kernel/index.ts'
import { isWholeSecret } from '../shapes/marks.ts'
import { type Column, KnownSources } from './known-sources.ts'
import type { Row } from './rows.ts'
import { align, type Leaf } from './skeleton.ts'
import { joined, type TextColumn, TextSplitter } from './split-text.ts'
import type { LeafRule, PatternTemplate, Piece, SlotOrigin } from './template.ts'
import { hasSecret, valueKey } from './values.ts'

/** The most places of one pattern that vary. */
const MOST_LEAVES = 200

/** A pattern that has no template, with the reason. */
export interface NoTemplate {
  readonly reason: 'secret_slot' | 'exceptions'
  readonly detail: string
}

/**
 * Proposes a template for rows: what is equal in all of them is constant, what varies comes from an earlier result, another slot, the blackboard,
 * the text of the user, or an input that nothing explains (reference skill 1.21). The first `counted` rows decide about rules.
 */
export function propose(rows: readonly Row[], counted: number, agreement: number, rounds = 3): PatternTemplate | NoTemplate {
  const leaves: Leaf[] = []
  const steps = (rows[0]?.args ?? []).map((_, step) =>
    align(
      step,
      rows.map(({ args }) => args[step] ?? null),
      leaves,
    ),
  )
  const usual = rounds === 0 ? rows : withoutOutliers(rows, leaves)
  if (usual.length < rows.length) return propose(usual, usual.filter((row) => rows.indexOf(row) < counted).length, agreement, rounds - 1)
  if (leaves.length > MOST_LEAVES) return { reason: 'exceptions', detail: `${leaves.length} places vary` }
  const split = leaves.find((leaf) => leaf.values.some(hasSecret) && !leaf.values.every(isWholeSecret))
  if (split !== undefined) return { reason: 'secret_slot', detail: `step ${split.step + 1}: a secret is a part of another value` }
  const found = new Proposal(rows, counted, agreement, leaves).rules()
  const places = leaves.map(({ step, path, isWord }) => ({ step, path, isWord }))
  return { steps, places, ...found }
}

/** Fewer rows say nothing about what is usual. */
const FEWEST_ROWS = 100
/** The share of rows from which on another value is an accident: the same calls after another by chance. */
const USUAL = 0.99

/** Leaves out the rows that alone keep a place from being constant. */
function withoutOutliers(rows: readonly Row[], leaves: readonly Leaf[]): readonly Row[] {
  if (rows.length < FEWEST_ROWS) return rows
  const outliers = new Set<number>()
  for (const { values } of leaves) {
    const keys = values.map(valueKey)
    const counts = new Map<string, number>()
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
    const [[usual, count] = ['', 0]] = [...counts].sort((a, b) => b[1] - a[1])
    if (count >= USUAL * rows.length) for (const [i, key] of keys.entries()) if (key !== usual) outliers.add(i)
  }
  return outliers.size === 0 ? rows : rows.filter((_, i) => !outliers.has(i))
}

class Proposal {
  readonly #known: KnownSources
  readonly #leaves: readonly Leaf[]

  constructor(rows: readonly Row[], counted: number, agreement: number, leaves: readonly Leaf[]) {
    this.#known = new KnownSources(rows, counted, agreement)
    this.#leaves = leaves
  }

  /** Explains whole values first, so that their slots are known where they are parts of longer texts. */
  rules(): Pick<PatternTemplate, 'rules' | 'order' | 'slots'> {
    const rules: LeafRule[] = []
    const order: number[] = []
    const later: number[] = []
    for (const [i, leaf] of this.#leaves.entries()) {
      const piece =
        this.#whole(i, leaf.values, leaf.isWord) ?? (leaf.values.every(isText) ? undefined : this.#slot('opaque', i, leaf.values))
      if (piece === undefined) later.push(i)
      else {
        rules[i] = [piece]
        order.push(i)
      }
    }
    for (const i of later) {
      const leaf = this.#leaves[i]
      if (leaf === undefined) continue
      const splitter = new TextSplitter(
        this.#known,
        (texts) => this.#whole(i, texts, true),
        (texts) => this.#slot('opaque', i, texts),
      )
      const texts: TextColumn = leaf.values.map((value) => (isText(value) ? value : undefined))
      rules[i] = joined(splitter.split(leaf.step, texts))
      order.push(i)
    }
    return { rules, order, slots: this.#known.slots }
  }

  /** Explains values by one source; undefined if nothing does. */
  #whole(leaf: number, column: Column, asText: boolean): Piece | undefined {
    const known = this.#known
    const { step = 0 } = this.#leaves[leaf] ?? {}
    if (column.some((value) => value !== undefined && hasSecret(value)))
      return known.slot(column, false) ?? this.#slot('secret', leaf, column)
    const earlier = known.result(step, column, asText) ?? known.slot(column, asText)
    if (earlier !== undefined) return earlier
    const path = known.board(column, asText)
    if (path !== undefined) return this.#slot('board', leaf, column, path)
    return known.isInUserText(column) ? this.#slot('user_text', leaf, column) : undefined
  }

  #slot(origin: SlotOrigin, leaf: number, values: Column, path?: string): Piece {
    const slot = this.#known.slots.push({ origin, leaf, values, ...(path === undefined ? {} : { path }) }) - 1
    return { kind: 'slot', slot }
  }
}

function isText(value: Json): value is string {
  return typeof value === 'string'
}
