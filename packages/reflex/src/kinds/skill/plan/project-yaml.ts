import { CST, isMap, isScalar, isSeq, Lexer, type Pair, parseAllDocuments, type ParsedNode, type Scalar, type YAMLMap } from 'yaml'
import type { Fault, Json, JsonObject } from '../../../kernel/index.ts'
import { didYouMean, quote, Source, suggest } from '../../../text/index.ts'
import { faults } from './faults.ts'
import type { ProjectValues } from './skill-host.ts'

/** The values of a file, unless one of the findings is about it. */
export interface ReadProject {
  readonly values?: ProjectValues
  readonly findings: readonly Fault[]
}

const ROOTS = ['ctx', 'env', 'goal_labels'] as const
/** A name in a path of the blackboard, and how many mappings and lists a value may be in: as many names follow the root of a path. */
const NAME = /^[a-z0-9_]{1,100}$/
const MOST_LEVELS = 20
const LABEL = /^[a-z0-9_-]{1,40}$/
const MOST_LABELS = 16
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** YAML has no control characters; the lexer uses some of them as marks of its own. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** Parts of YAML that a safe file does not have, by the type of their token. */
const UNSAFE: Readonly<Record<string, readonly [what: string, fix: string]>> = {
  tag: ['a tag', 'remove it: a text is "quoted", and every other type is known by its form'],
  anchor: ['an anchor', 'remove it, and write the value at each place'],
  alias: ['an alias', 'write the value itself'],
  'directive-line': ['a directive', 'remove this line'],
}

/**
 * Reads the text of `skills.yaml`: YAML 1.2 without tags, anchors, aliases and directives, in one document (reference skill 1.16). Returns every
 * mistake with its place, of a text that is not YAML only the first. Never throws.
 */
export function readProjectYaml(text: string, file: string): ReadProject {
  return new ProjectReader(new Source(text, file)).read()
}

class ProjectReader {
  readonly #source: Source
  readonly #findings: Fault[] = []

  constructor(source: Source) {
    this.#source = source
  }

  read(): ReadProject {
    const { text } = this.#source
    const control = CONTROL.exec(text)
    if (control !== null)
      this.#add(control.index, 1, 'a control character is not YAML', 'remove it, or write it as an escape in double quotes')
    else this.#checkTokens(text)
    const values = this.#findings.length === 0 ? this.#document(text) : { board: {} }
    return this.#findings.length === 0 ? { values, findings: [] } : { findings: this.#findings }
  }

  /** Reports tokens that a safe file does not have. A scalar is not looked into: the lexer marks where one begins. */
  #checkTokens(text: string): void {
    let offset = 0
    let isScalarNext = false
    for (const token of new Lexer().lex(text)) {
      const isScalar = isScalarNext
      isScalarNext = token === CST.SCALAR
      if (isScalarNext || token === CST.DOCUMENT || token === CST.FLOW_END) continue
      const [what, fix] = (isScalar ? undefined : UNSAFE[CST.tokenType(token) ?? '']) ?? []
      if (what !== undefined) this.#add(offset, token.trimEnd().length, `${what} is not allowed here`, fix)
      offset += token.length
    }
  }

  #document(text: string): ProjectValues {
    const documents = parseAllDocuments(text, { prettyErrors: false, logLevel: 'silent', uniqueKeys: false })
    // A text without a document gives an empty list with properties of its own.
    const [document, second] = Array.isArray(documents) ? documents : []
    const [broken] = document?.errors ?? []
    if (broken !== undefined) {
      const isDeep = broken.code === 'RESOURCE_EXHAUSTION'
      const what = isDeep ? 'the values are nested too deeply' : `this is not YAML: ${broken.message}`
      this.#add(broken.pos[0], broken.pos[1] - broken.pos[0], what, isDeep ? 'write them less deeply' : 'correct the line')
    } else if (second !== undefined) {
      this.#add(second.range[0], 3, 'a second document begins here', 'write one document')
    }
    const root = document?.contents
    if (root === undefined || root === null || this.#findings.length > 0 || isEmpty(root)) return { board: {} }
    return this.#roots(root)
  }

  #roots(root: ParsedNode): ProjectValues {
    if (!isMap(root)) {
      this.#addAt(root, 'the file is not a mapping', 'write "ctx:" on a line, and the values in indented lines below it')
      return { board: {} }
    }
    const given: Partial<Record<(typeof ROOTS)[number], ParsedNode | null>> = {}
    for (const { key, value } of this.#entries(root)) {
      const known = ROOTS.find((name) => name === key.value)
      if (known !== undefined) given[known] = value
      else {
        const guess = suggest(String(key.value), ROOTS)
        this.#addAt(key, `${quote(String(key.value))} is not known here`, didYouMean(guess) ?? `write one of ${ROOTS.join(', ')}`)
      }
    }
    const [ctx, env, labels] = [this.#root('ctx', given.ctx), this.#root('env', given.env), this.#labels(given.goal_labels)]
    return {
      board: { ...(ctx === undefined ? {} : { ctx }), ...(env === undefined ? {} : { env }) },
      ...(labels === undefined ? {} : { goalLabels: labels }),
    }
  }

  #root(name: string, node: ParsedNode | null | undefined): JsonObject | undefined {
    if (node === undefined || node === null || isEmpty(node)) return undefined
    if (isMap(node)) return this.#mapping(node, 1, true)
    this.#addAt(node, `${name} is not a mapping`, `write "NAME: VALUE" in indented lines below ${name}`)
    return undefined
  }

  #labels(node: ParsedNode | null | undefined): readonly string[] | undefined {
    if (node === undefined || node === null || isEmpty(node)) return undefined
    if (!isSeq(node) || node.items.length > MOST_LABELS) {
      this.#addAt(node, `goal_labels is not a list of at most ${MOST_LABELS} labels`, 'write goal_labels: [deploy, release]')
      return undefined
    }
    return node.items.map((item) => {
      const label = isScalar(item) ? item.value : undefined
      if (typeof label === 'string' && LABEL.test(label)) return label
      this.#addAt(item, 'this is not a label', 'write 1 to 40 lower-case letters, digits, underscores and hyphens')
      return ''
    })
  }

  /** `isPath`: false inside of a list, whose objects have any names. */
  #value(node: ParsedNode | null, level: number, isPath: boolean): Json {
    if (node === null) return null
    if (isScalar(node)) return this.#scalar(node)
    if (level > MOST_LEVELS) this.#addAt(node, `this is nested more than ${MOST_LEVELS} levels deep`, 'write it less deeply')
    else if (isMap(node)) return this.#mapping(node, level, isPath)
    else if (isSeq(node)) return node.items.map((item) => this.#value(item, level + 1, false))
    return null
  }

  #mapping(node: YAMLMap<ParsedNode, ParsedNode | null>, level: number, isPath: boolean): JsonObject {
    const entries = this.#entries(node).map(({ key, value }): [string, Json] => {
      const name = String(key.value)
      if (isPath && !NAME.test(name))
        this.#addAt(key, `${quote(name)} is not a name of the blackboard`, 'write lower-case letters, digits and underscores')
      return [name, this.#value(value, level + 1, isPath)]
    })
    return Object.fromEntries(entries)
  }

  /** Returns the entries whose names are texts that occur once. */
  #entries({ items }: YAMLMap<ParsedNode, ParsedNode | null>): readonly { key: Scalar.Parsed; value: ParsedNode | null }[] {
    const known = new Set<string>()
    return items.flatMap(({ key, value }: Pair<ParsedNode, ParsedNode | null>) => {
      if (!isScalar(key) || typeof key.value !== 'string') {
        this.#addAt(key, 'this name is not a text', 'write a name, in quotes if it looks like another value')
        return []
      }
      if (known.has(key.value)) {
        this.#addAt(key, `${quote(key.value)} occurs twice`, 'remove one of the two')
        return []
      }
      known.add(key.value)
      return [{ key, value }]
    })
  }

  /** A number that JSON does not have would lose something: zeros at its begin, or digits. */
  #scalar(node: Scalar.Parsed): Json {
    const { value, source } = node
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
    if (typeof value === 'number' && isExact && JSON_NUMBER.test(source)) return value + 0
    this.#addAt(node, `${source} cannot be kept as a number without a change`, `write "${source}" for a text, or a number as JSON has it`)
    return null
  }

  #addAt({ range }: ParsedNode, message: string, fix: string): void {
    const [start, end] = range
    const line = this.#source.text.slice(start, end).split('\n', 1)[0] ?? ''
    this.#add(start, line.length, message, fix)
  }

  #add(offset: number, length: number, message: string, fix: string | undefined): void {
    this.#findings.push(faults.make('R1475', message, { ...this.#source.details(offset, Math.max(1, length)), fix }))
  }
}

/** True for a value that is not written down: `ctx:` with nothing below it. */
function isEmpty(node: ParsedNode): boolean {
  return isScalar(node) && node.value === null && node.source === ''
}
