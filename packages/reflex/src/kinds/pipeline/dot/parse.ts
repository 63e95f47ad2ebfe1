import type { Fault } from '../../../kernel/index.ts'
import { Blocks } from './blocks.ts'
import { Cursor } from './cursor.ts'
import type { DotGraph } from './graph.ts'
import { Names, type Name } from './names.ts'
import { Scopes } from './scopes.ts'
import { DotProblems } from './problems.ts'
import { Statements } from './statements.ts'
import { checkArguments, TEXT } from '../../../text/index.ts'
import { SOME_OPTIONS } from './argument-forms.ts'

/** The options for reading a pipeline text. */
export interface DotOptions {
  /** True to continue after a mistake and report all mistakes. */
  readonly accumulateErrors?: boolean | undefined
  /** True to accept only the grammar of the seed. Syntax that real files need beyond it is then an error. */
  readonly strictGrammar?: boolean | undefined
  /** The name of the text, for faults. */
  readonly file?: string | undefined
}

/** The result of reading a text. */
export interface DotParse {
  /** Absent after an error, unless errors are accumulated and the text begins as a graph. */
  readonly graph: DotGraph | undefined
  /** The errors in the order of the text; without accumulation only the first. */
  readonly errors: readonly Fault[]
  /** Warnings and remarks (`duplicate_attr`, `missing_comma`), in the order of the text. */
  readonly warnings: readonly Fault[]
}

/**
 * Reads a pipeline in one pass and in time linear in the text (seed pipeline 2; reference pipeline 1). Never throws because of the text.
 * Spans count from behind a byte order mark, as in `Source`.
 */
export function parseDot(source: string, options: DotOptions = {}): DotParse {
  checkArguments('parseDot', { source: [source, TEXT], options: [options, SOME_OPTIONS] })
  const text = source.startsWith('\ufeff') ? source.slice(1) : source
  const problems = new DotProblems()
  const cursor = new Cursor(text, problems, { accumulate: options.accumulateErrors ?? false, strict: options.strictGrammar ?? false })
  const graph = new Parser(cursor).graph()
  const faults = problems.faults(text, options.file)
  const errors = faults.filter((fault) => fault.severity === 'error')
  const warnings = faults.filter((fault) => fault.severity !== 'error')
  return { graph: cursor.stopped ? undefined : graph, errors, warnings }
}

/**
 * Reads a pipeline. Throws its first fault. With `accumulateErrors`, it throws nothing and returns the faults with the readable part of the
 * graph.
 */
export function parse(source: string, options: DotOptions & { readonly accumulateErrors: true }): DotParse
export function parse(source: string, options?: DotOptions): DotGraph
export function parse(source: string, options: DotOptions = {}): DotGraph | DotParse {
  const parsed = parseDot(source, options)
  if (options.accumulateErrors) return parsed
  if (parsed.graph === undefined) throw parsed.errors[0] ?? new TypeError('a text without errors has a graph')
  return parsed.graph
}

const QUOTE = 34
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** The parser of one text. Subgraphs are a stack of scopes without recursion, so nesting needs no call stack. */
class Parser {
  readonly #cursor: Cursor
  readonly #names: Names
  readonly #blocks: Blocks
  #scopes = new Scopes(0)

  constructor(cursor: Cursor) {
    this.#cursor = cursor
    this.#names = new Names(cursor)
    this.#blocks = new Blocks(cursor, this.#names)
  }

  graph(): DotGraph | undefined {
    const id = this.#head()
    if (id === undefined) return undefined
    this.#body()
    this.#blocks.finish()
    if (this.#scopes.isExcessive) this.#reportExcess()
    return this.#scopes.finish(id)
  }

  /** Reads `digraph Name {`. Returns the name; undefined if the text does not begin as a graph. */
  #head(): string | undefined {
    const cursor = this.#cursor
    let word = this.#word()
    if (word?.text === 'strict') {
      const message = 'pipelines do not support strict graphs: several edges can join the same two nodes'
      cursor.error({ code: 'R1102', from: word.from, to: word.to, message, fix: 'remove "strict"' })
      word = this.#word()
    }
    if (word?.text === 'graph') {
      const message = 'the edges of a pipeline are directed, but this graph is undirected'
      cursor.error({ code: 'R1102', from: word.from, to: word.to, message, fix: 'write digraph, and -> instead of --' })
    } else if (word?.text !== 'digraph') {
      const blank = Number.isNaN(cursor.next()) && word === undefined
      const message = blank ? 'the text is empty' : 'a pipeline begins with "digraph", a name and a brace'
      const { from, to } = word ?? { from: cursor.at, to: cursor.at + 1 }
      cursor.error({ code: 'R1100', from, to, message, fix: 'write digraph name { … }' })
      return undefined
    }
    return this.#opening()
  }

  /** Reads the name and the brace behind `digraph`. A missing one is an error, and the parser continues as if it were there. */
  #opening(): string {
    const cursor = this.#cursor
    const name = this.#names.read(cursor.next())
    const { at } = cursor
    if (name === undefined)
      cursor.error({ code: 'R1100', from: at, to: at + 1, message: 'the graph has no name', fix: 'write digraph name {' })
    else this.#names.check(name, 'id')
    if (cursor.next() === OPEN_BRACE) this.#scopes = new Scopes(cursor.at++)
    else {
      cursor.swallowed = true
      cursor.error({
        code: 'R1100',
        from: cursor.at,
        to: cursor.at + 1,
        message: 'the graph has no opening brace',
        fix: 'write digraph name {',
      })
    }
    return name?.text ?? 'G'
  }

  #word(): Name | undefined {
    const code = this.#cursor.next()
    return code === QUOTE || Number.isNaN(code) ? undefined : this.#names.read(code)
  }

  /** Reads all statements up to the end of the text. Text behind the last brace is an error, but it is still read. */
  #body(): void {
    const cursor = this.#cursor
    const statements = new Statements(cursor, this.#names, this.#blocks, this.#scopes)
    let closed = false
    let isReported = false
    for (;;) {
      const code = cursor.next()
      if (cursor.stopped) return
      if (Number.isNaN(code)) break
      if (closed && !isReported) {
        isReported = true
        if (this.#reportTrailing()) return
      }
      if (code !== CLOSE_BRACE || this.#scopes.depth > 1) statements.read(code)
      else {
        closed = true
        cursor.at++
      }
    }
    if ((closed && this.#scopes.depth === 1) || cursor.swallowed) return
    const { openedAt } = this.#scopes
    cursor.error({ code: 'R1101', from: openedAt, to: openedAt + 1, message: 'this brace is never closed', fix: 'close it with }' })
  }

  /** Reports text behind the closing brace. Returns true if it is another graph. */
  #reportTrailing(): boolean {
    const cursor = this.#cursor
    const from = cursor.at
    const graph = /^(?:strict|digraph|graph)\b/.exec(cursor.text.slice(from, from + 8))
    const to = from + (graph?.[0].length ?? 1)
    if (graph === null) {
      const message = 'this text is behind the closing brace of the graph'
      cursor.error({ code: 'R1100', from, to, message, fix: 'remove it, or the brace before it' })
    } else
      cursor.error({
        code: 'R1102',
        from,
        to,
        message: 'a text can hold only one graph, and this is a second one',
        fix: 'put it into a separate file',
      })
    return graph !== null
  }

  #reportExcess(): void {
    const message = 'the defaults and subgraphs of this text give its nodes more attributes and groups than fit in memory'
    this.#cursor.error({ code: 'R1100', from: 0, to: 7, message, fix: 'write fewer defaults, or nest less' })
  }
}
