import { isList, isObject, type Json, type JsonObject } from '../../kernel/index.ts'
import { formWords, OPERATOR, WORDS } from '../mine/argument-form.ts'
import type { MinedPattern } from '../mine/pattern.ts'
import type { Skeleton } from '../mine/skeleton.ts'
import type { LeafRule, Source } from '../mine/template.ts'
import type { ValuePath } from '../mine/values.ts'

/** The arguments of a step as templates, and what it needs besides. */
export interface StepArguments {
  readonly args: JsonObject
  readonly shell: boolean
}

/** Words that need no quotes in a command line. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/

/** Writes the rules of a pattern as templates of a manifest (reference skill 1.5). */
export class ArgumentWriter {
  readonly #pattern: MinedPattern

  constructor(pattern: MinedPattern) {
    this.#pattern = pattern
  }

  /** Returns the arguments of a step. */
  step(step: number): StepArguments {
    const skeleton = this.#pattern.template.steps[step]
    const args = skeleton === undefined ? {} : this.#value(skeleton)
    return { args: isObject(args) ? args : {}, shell: skeleton !== undefined && hasShell(skeleton) }
  }

  /** Returns the reference of a source in a template. */
  reference(source: Source): string {
    if (source.kind === 'slot') return this.#pattern.slots[source.slot]?.name ?? ''
    return source.isParsed ? capturePath(source.step, source.path) : `steps.s${source.step}.result${pathText(source.path)}`
  }

  #value(skeleton: Skeleton): Json {
    if (skeleton.kind === 'constant') return this.#constant(skeleton.value)
    if (skeleton.kind === 'leaf') return this.#text(this.#pattern.template.rules[skeleton.leaf] ?? [], escapedText)
    if (skeleton.kind === 'list') return skeleton.items.map((item) => this.#value(item))
    if (skeleton.entries.some(([key]) => key === WORDS)) return this.#line(skeleton)
    return Object.fromEntries(skeleton.entries.map(([key, inner]) => [key, this.#value(inner)]))
  }

  /** Returns a constant value; command lines in it are written as such. */
  #constant(value: Json): Json {
    if (formWords(value) !== undefined) return this.#line({ kind: 'constant', value })
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#constant(inner)]))
    return escaped(value)
  }

  #text(rule: LeafRule, constant: (text: string) => string): string {
    return rule.map((piece) => (piece.kind === 'text' ? constant(piece.text) : `{{${this.reference(piece)}}}`)).join('')
  }

  /** Returns a command line: a list of words as it was, or a text in which each word stays one word whatever its value is. */
  #line(skeleton: Skeleton): Json {
    const words = wordsIn(skeleton)
    if (!isTrue(skeleton, 'text')) return words.map((word) => this.#value(word))
    const isScript = isTrue(skeleton, 'shell')
    return words.map((word) => this.#word(word, isScript)).join(' ')
  }

  #word(word: Skeleton, isScript: boolean): string {
    if (word.kind === 'leaf')
      return this.#text(this.#pattern.template.rules[word.leaf] ?? [], (text) => quoted(escapedText(text), isScript))
    const value = word.kind === 'constant' ? word.value : ''
    const operator = isObject(value) ? value[OPERATOR] : undefined
    if (typeof operator === 'string') return operator
    return quoted(escapedText(typeof value === 'string' ? value : ''), isScript)
  }
}

/** Returns the path of the blackboard at which a value of a text of JSON is kept for later steps. */
export function capturePath(step: number, path: ValuePath): string {
  const name = path.map((part) =>
    String(part)
      .toLowerCase()
      .replace(/[^a-z0-9_]/g, '_'),
  )
  return `work.${[`s${step}`, ...name].join('_')}`
}

/** Returns a path as a JSON pointer. */
export function pointerText(path: ValuePath): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

export function pathText(path: ValuePath): string {
  return path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')
}

function quoted(text: string, isScript: boolean): string {
  if (PLAIN.test(text) || isScript) return text
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function escapedText(text: string): string {
  return text.replaceAll('{{', String.raw`\{{`)
}

function escaped(value: Json): Json {
  if (typeof value === 'string') return escapedText(value)
  if (isList(value)) return value.map(escaped)
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escaped(inner)])) : value
}

function wordsIn(skeleton: Skeleton): readonly Skeleton[] {
  if (skeleton.kind === 'constant') return (formWords(skeleton.value) ?? []).map((value): Skeleton => ({ kind: 'constant', value }))
  const inner = skeleton.kind === 'object' ? skeleton.entries.find(([key]) => key === WORDS)?.[1] : undefined
  if (inner?.kind === 'list') return inner.items
  return inner?.kind === 'constant' && isList(inner.value) ? inner.value.map((value): Skeleton => ({ kind: 'constant', value })) : []
}

/** True if the form of a command line has a mark. */
function isTrue(skeleton: Skeleton, mark: 'text' | 'shell'): boolean {
  if (skeleton.kind === 'constant') return isObject(skeleton.value) && skeleton.value[mark] === true
  const inner = skeleton.kind === 'object' ? skeleton.entries.find(([key]) => key === mark)?.[1] : undefined
  return inner?.kind === 'constant' && inner.value === true
}

function hasShell(skeleton: Skeleton): boolean {
  if (isTrue(skeleton, 'shell')) return true
  if (skeleton.kind === 'constant')
    return isObject(skeleton.value) && Object.values(skeleton.value).some((value) => isObject(value) && value.shell === true)
  return skeleton.kind === 'object' && skeleton.entries.some(([, inner]) => hasShell(inner))
}
