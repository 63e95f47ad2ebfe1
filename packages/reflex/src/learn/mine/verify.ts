import { isObject, type Json } from '../../kernel/index.ts'
import { formWords, OPERATOR } from './argument-form.ts'
import type { Row } from './rows.ts'
import { fits, type Skeleton } from './skeleton.ts'
import { matchPieces } from './split-text.ts'
import type { LeafRule, PatternTemplate, Piece } from './template.ts'
import { containsWord, scalarText, valueAtPath, valueKey } from './values.ts'

/** What a template says about one row: the values of its slots, or how it does not fit. */
export type Fit =
  | { readonly kind: 'fits'; readonly slots: readonly (Json | undefined)[] }
  /** The row has something else where all rows that were looked at agree: the template is too narrow. */
  | { readonly kind: 'narrow' }
  /** A rule does not hold: the row is an exception. */
  | { readonly kind: 'exception' }

/** Compares a row with a template. If it fits, its arguments rendered from the values of its slots are those that were recorded. */
export function fitRow(template: PatternTemplate, row: Row): Fit {
  const found: Json[] = []
  for (const [step, skeleton] of template.steps.entries()) if (!fits(skeleton, row.args[step] ?? null, found)) return { kind: 'narrow' }
  const slots: (Json | undefined)[] = []
  for (const leaf of template.order) {
    const outcome = fitLeaf(template, row, found[leaf] ?? null, leaf, slots)
    if (outcome !== 'fits') return { kind: outcome }
  }
  return template.slots.every((_, slot) => holds(template, row, slot, slots)) ? { kind: 'fits', slots } : { kind: 'exception' }
}

function fitLeaf(template: PatternTemplate, row: Row, value: Json, leaf: number, slots: (Json | undefined)[]): Fit['kind'] {
  const rule = template.rules[leaf] ?? []
  const isWord = template.places[leaf]?.isWord === true
  const [only] = rule
  const known = (piece: Piece): Json | undefined => valueOfPiece(piece, row, slots)
  if (rule.length === 1 && only !== undefined && only.kind !== 'text') {
    const expected = known(only)
    if (expected === undefined && only.kind === 'slot') slots[only.slot] = value
    else if (expected === undefined || !isSame(expected, value, isWord)) return 'exception'
    return 'fits'
  }
  if (typeof value !== 'string') return 'narrow'
  const texts = matchPieces(value, rule, known)
  if (texts === undefined) return 'narrow'
  for (const [i, piece] of rule.entries()) if (piece.kind === 'slot') slots[piece.slot] ??= texts[i]
  return 'fits'
}

function valueOfPiece(piece: Piece, { results }: Row, slots: readonly (Json | undefined)[]): Json | undefined {
  if (piece.kind === 'text') return piece.text
  return piece.kind === 'slot' ? slots[piece.slot] : valueAtPath(results[piece.step] ?? null, piece.path, piece.isParsed)
}

function isSame(expected: Json, value: Json, isWord: boolean): boolean {
  return isWord ? (scalarText(expected) ?? valueKey(expected)) === value : valueKey(expected) === valueKey(value)
}

/** True if the value of a slot is where its origin says. */
function holds({ slots: rules }: PatternTemplate, { facts, userText }: Row, slot: number, slots: readonly (Json | undefined)[]): boolean {
  const { origin, path = '' } = rules[slot] ?? { origin: 'opaque' }
  const value = slots[slot]
  if (value === undefined) return false
  const text = scalarText(value)
  if (origin === 'user_text') return text !== undefined && containsWord(userText, text)
  const fact = facts.get(path)
  return origin !== 'board' || (fact !== undefined && (scalarText(fact) ?? valueKey(fact)) === (text ?? valueKey(value)))
}

/** Renders the arguments of a step: words of command lines as a list, everything else as recorded. Undefined if a source has no value. */
export function renderStep(
  template: PatternTemplate,
  step: number,
  row: Pick<Row, 'results'>,
  slots: readonly (Json | undefined)[],
): Json | undefined {
  const skeleton = template.steps[step]
  return skeleton === undefined
    ? undefined
    : render(skeleton, (leaf) => renderLeaf(template.rules[leaf] ?? [], row, slots, template.places[leaf]?.isWord === true))
}

function render(skeleton: Skeleton, leafOf: (leaf: number) => Json | undefined): Json | undefined {
  if (skeleton.kind === 'constant') return skeleton.value
  if (skeleton.kind === 'leaf') return leafOf(skeleton.leaf)
  if (skeleton.kind === 'list') return whole(skeleton.items.map((item) => render(item, leafOf)))
  const entries = skeleton.entries.map(([key, inner]) => [key, render(inner, leafOf)] as const)
  return entries.some(([, value]) => value === undefined) ? undefined : (Object.fromEntries(entries) as Json)
}

function whole(values: readonly (Json | undefined)[]): Json | undefined {
  return values.every((value) => value !== undefined) ? values : undefined
}

function renderLeaf(rule: LeafRule, row: Pick<Row, 'results'>, slots: readonly (Json | undefined)[], isWord: boolean): Json | undefined {
  const values = rule.map((piece) => valueOfPiece(piece, row as Row, slots))
  const [first] = values
  if (rule.length === 1 && !isWord) return first
  const texts = values.map(scalarText)
  return texts.every((text) => text !== undefined) ? texts.join('') : rule.length === 1 ? first : undefined
}

/** Returns arguments in the form of a call: command lines as lists of words, operators as their texts. */
export function plainArguments(form: Json): Json {
  if (!isObject(form)) return form
  return Object.fromEntries(
    Object.entries(form).map(([key, value]) => {
      const words = formWords(value)
      return [key, words === undefined ? value : words.map((word) => (isObject(word) && OPERATOR in word ? (word[OPERATOR] ?? '') : word))]
    }),
  )
}
