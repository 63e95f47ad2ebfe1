import { parseTree, type Node, type ParseError } from 'jsonc-parser'
import type { Fault, FaultDetails, Json } from '../kernel/index.ts'
import { faults } from './faults.ts'
import { quote } from './printable.ts'
import { scanBrackets, syntaxMistake } from './json-syntax.ts'
import { pathText, type Path } from './path.ts'
import type { Place, TextSpan } from './place.ts'
import { Source } from './source.ts'

/** The half of an attribute: its key, or its value (the default). */
export type AttributePart = 'key' | 'value'

/** The part of a value that a fault marks, and the note beside it. */
export interface PlaceOptions {
  readonly part?: AttributePart | undefined
  readonly note?: string | undefined
  /** The span inside a text value, in UTF-16 units of the decoded text; an escape such as `\\n` is one unit. */
  readonly span?: TextSpan | undefined
}

/** A parsed JSON text: its value, the findings, and the place of each part. */
export interface JsonText {
  readonly source: Source
  /** The value; undefined if a syntax mistake made the text unreadable. */
  readonly value: Json | undefined
  /** The findings in the order of the text. Errors make the text unreadable; warnings do not. */
  readonly findings: readonly Fault[]
  /** Returns the place of a value or of its key. For a path that does not exist: the place of the nearest enclosing value. */
  place(path: Path, part?: AttributePart): Place
  /** Returns the same for a fault: path, file, line, column and a code frame with the note. */
  details(path: Path, options?: PlaceOptions): FaultDetails
}

/** The maximum nesting of values, the same as for values in a run. */
const MAX_DEPTH = 512
const MAX_MISTAKES = 20

/**
 * Reads JSON with comments and trailing commas, and keeps the place of each part.
 *
 * Never throws. Findings: `R1001` for text that is not JSON (the first mistake of each line, at most 20), `R1003` for nesting beyond 512
 * levels, `R1002` for a repeated key, `R1004` for an integer that loses digits. `rule` is the code of unreadable text in the rules of the
 * caller.
 */
export function readJson(text: string, file?: string, options: { readonly rule?: string | undefined } = {}): JsonText {
  const source = new Source(text, file)
  const { tree, findings } = parse(source, options.rule)
  if (tree === undefined || findings.length > 0) return new ReadText(source, undefined, undefined, findings)
  const value = valueOf(tree, { source, rule: options.rule, findings })
  return new ReadText(source, tree, findings.some((finding) => finding.severity === 'error') ? undefined : value, findings)
}

function parse(source: Source, rule: string | undefined): { tree: Node | undefined; findings: Fault[] } {
  const brackets = scanBrackets(source.text, MAX_DEPTH)
  if (brackets.tooDeepAt !== undefined) {
    const place = source.details(brackets.tooDeepAt, 1, `level ${MAX_DEPTH + 1}`)
    const fix = 'flatten it, or put the value into a separate file'
    return {
      tree: undefined,
      findings: [faults.make('R1003', `nested more than ${MAX_DEPTH} levels deep`, { ...ruleField(rule), ...place, fix })],
    }
  }
  const errors: ParseError[] = []
  const tree = parseTree(source.text, errors, { allowTrailingComma: true })
  const findings: Fault[] = []
  let line = 0
  let end = 0
  for (const error of errors) {
    const at = source.place(error.offset, error.length).line
    // A later error on the line, directly after the mistake, or at the end is usually a consequence of the mistake before it.
    const follows = findings.length > 0 && (error.offset >= source.text.length || source.text.slice(end, error.offset).trim() === '')
    if (at === line || follows) continue
    const mistake = syntaxMistake(source.text, error, brackets)
    const place = source.details(mistake.offset, mistake.length, mistake.note)
    findings.push(faults.make('R1001', mistake.message, { ...ruleField(rule), ...place, fix: mistake.fix }))
    if (findings.length === MAX_MISTAKES) break
    line = at
    end = error.offset + error.length
  }
  return { tree, findings }
}

class ReadText implements JsonText {
  readonly source: Source
  readonly value: Json | undefined
  readonly findings: readonly Fault[]
  readonly #tree: Node | undefined
  readonly #keys = new WeakMap<Node, Map<string, Node>>()

  constructor(source: Source, tree: Node | undefined, value: Json | undefined, findings: readonly Fault[]) {
    this.source = source
    this.value = value
    this.findings = findings
    this.#tree = tree
  }

  place(path: Path, part: AttributePart = 'value'): Place {
    const { offset, length } = this.#span(path, part)
    return this.source.place(offset, length)
  }

  details(path: Path, options: PlaceOptions = {}): FaultDetails {
    const value = this.#span(path, options.part ?? 'value')
    const inner = options.span === undefined ? undefined : textSpan(this.source.text, value.offset, options.span)
    const { offset, length, whole } = inner ?? value
    // For an object or a list, only the bracket is underlined, because the whole value can be many lines long.
    const place = this.source.details(offset, whole ? 1 : length, options.note)
    return path.length === 0 ? place : { path: pathText(path), ...place }
  }

  #span(path: Path, part: AttributePart): { offset: number; length: number; whole: boolean } {
    let node = this.#tree
    let key: Node | undefined
    for (const step of path) {
      const property = typeof step === 'string' && node?.type === 'object' ? this.#property(node, step) : undefined
      const next = typeof step === 'number' && node?.type === 'array' ? node.children?.[step] : property?.children?.[1]
      if (next === undefined) return spanOf(node)
      node = next
      key = property?.children?.[0]
    }
    return spanOf(part === 'key' ? (key ?? node) : node)
  }

  #property(object: Node, key: string): Node | undefined {
    let keys = this.#keys.get(object)
    if (keys === undefined) {
      keys = new Map(object.children?.map((property) => [String(property.children?.[0]?.value), property]))
      this.#keys.set(object, keys)
    }
    return keys.get(key)
  }
}

function spanOf(node: Node | undefined): { offset: number; length: number; whole: boolean } {
  if (node === undefined) return { offset: 0, length: 0, whole: true }
  return { offset: node.offset, length: node.length, whole: node.type === 'object' || node.type === 'array' }
}

/** Returns the span of a part of a text value in the file; undefined if no text begins at the offset. */
function textSpan(file: string, offset: number, { offset: from, length }: TextSpan): (TextSpan & { whole: boolean }) | undefined {
  if (file[offset] !== '"') return undefined
  const start = fileOffset(file, offset + 1, from)
  return { offset: start, length: fileOffset(file, start, length) - start, whole: false }
}

/** Returns the offset that is a number of units behind another; an escape is one unit. */
function fileOffset(file: string, offset: number, units: number): number {
  let at = offset
  for (let i = 0; i < units && at < file.length; i++) at += file[at] !== '\\' ? 1 : file[at + 1] === 'u' ? 6 : 2
  return at
}

interface ReadState {
  readonly source: Source
  readonly rule: string | undefined
  readonly findings: Fault[]
}

function valueOf(node: Node, state: ReadState): Json {
  if (node.type === 'object') return objectOf(node, state)
  if (node.type === 'array') return (node.children ?? []).map((child) => valueOf(child, state))
  if (typeof node.value === 'number') checkNumber(node, node.value, state)
  return node.value as Json
}

function objectOf(object: Node, state: ReadState): Json {
  const value: Record<string, Json> = {}
  const seen = new Map<string, number>()
  for (const { children: [key, inner] = [] } of object.children ?? []) {
    if (key === undefined || inner === undefined) continue
    const name = String(key.value)
    const before = seen.get(name)
    if (before !== undefined) state.findings.push(repeatedKey(state.source, key, before))
    seen.set(name, key.offset)
    const member = valueOf(inner, state)
    // An assignment to this key would change the prototype and add no member.
    if (name === '__proto__') Object.defineProperty(value, name, { value: member, enumerable: true, writable: true, configurable: true })
    else value[name] = member
  }
  return value
}

function repeatedKey(source: Source, key: Node, before: number): Fault {
  const place = source.details(key.offset, key.length, `first on line ${source.lines.positionAt(before).line}`)
  return faults.make('R1002', `the key ${quote(String(key.value))} occurs twice; the last one counts`, {
    ...place,
    fix: 'remove one of the two, or rename it',
  })
}

function checkNumber(node: Node, value: number, { source, rule, findings }: ReadState): void {
  if (Number.isSafeInteger(value)) return
  const text = source.text.slice(node.offset, node.offset + node.length)
  if (Number.isFinite(value) && !/^-?\d+$/.test(text)) return
  const details = { ...source.details(node.offset, node.length), fix: 'write it as text, in double quotes' }
  if (!Number.isFinite(value))
    findings.push(faults.make('R1001', `${quote(text)} is too large for a number`, { ...ruleField(rule), ...details }))
  else findings.push(faults.make('R1004', `${quote(text)} becomes ${value}`, details))
}

function ruleField(rule: string | undefined): { readonly rule?: string } {
  return rule === undefined ? {} : { rule }
}

/** Parses a text that is a JSON object or list. Returns any other value unchanged. Models often answer with JSON in a text. */
export function parseIfJson(found: unknown): unknown {
  if (typeof found !== 'string' || !/^\s*[[{]/.test(found) || !/[\]}]\s*$/.test(found)) return found
  try {
    return JSON.parse(found) as unknown
  } catch {
    return found
  }
}
