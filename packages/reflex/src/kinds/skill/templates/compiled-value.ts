import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { type Path, quote } from '../../../text/index.ts'
import { compileCommand } from './command.ts'
import { checkPath, compileText } from './compiled-text.ts'
import { parseTemplate } from './parse.ts'
import { checkParts, type Piece, renderValue, secretProblems, type ValuePiece } from './pieces.ts'
import type { TemplateProblem } from './problem.ts'
import { refused, rendered, type Result, tooLarge } from './rendered.ts'
import { type TemplateScope, type TemplateValues, UNSAFE_NAMES } from './scope.ts'

/** A problem at a path inside the compiled value. `part` is `key` for the key of an object. */
export interface PlacedProblem extends TemplateProblem {
  readonly path: Path
  readonly part?: 'key'
}

/** Values of the arguments of a step, as JSON paths into the rendered arguments. */
export interface ArgumentMarks {
  /** Names of secrets: the tool gets their values, and nothing else does. */
  readonly secrets: readonly Path[]
  /** Values of sensitive slots, which are masked before any record. */
  readonly sensitive: readonly Path[]
}

/** A placeholder, and the path of the text that has it. */
export interface PlacedValue {
  readonly piece: ValuePiece
  readonly path: Path
  /** The path of its text in the rendered value. */
  readonly place: Path
}

/** A JSON value with templates inside. It can be rendered any number of times. */
export interface CompiledValue {
  readonly marks: ArgumentMarks
  /** Every value that it reads, in the order of the text. */
  readonly values: readonly PlacedValue[]
  /** Returns the value with all placeholders replaced. Never throws. */
  render(values: TemplateValues): Result<Json>
}

export interface CompileValueOptions {
  /** The argument that is a command line, and how it runs. */
  readonly command?: { readonly argument: string; readonly shell: boolean } | undefined
  /** True if a placeholder can be the name of a secret: in the arguments of a tool. */
  readonly secrets: boolean
}

/** The compiled value, usable only without problems that are errors. */
export interface CompiledValueResult {
  readonly value: CompiledValue
  readonly problems: readonly PlacedProblem[]
}

type Render = (values: TemplateValues) => Result<Json>

/** Compiles a JSON value whose texts are templates (reference skill 1.5). A text that is one placeholder keeps the type of its value. */
export function compileValue(json: Json, scope: TemplateScope, options: CompileValueOptions): CompiledValueResult {
  const compiler = new ValueCompiler(scope, options)
  const render = compiler.compile(json, [])
  const { secrets, sensitive, values, problems } = compiler
  return { value: { marks: { secrets, sensitive }, values, render: (given) => withLimit(render(given)) }, problems }
}

class ValueCompiler {
  readonly secrets: Path[] = []
  readonly sensitive: Path[] = []
  readonly values: PlacedValue[] = []
  readonly problems: PlacedProblem[] = []
  readonly #scope: TemplateScope
  readonly #options: CompileValueOptions

  constructor(scope: TemplateScope, options: CompileValueOptions) {
    this.#scope = scope
    this.#options = options
  }

  compile(json: Json, path: Path): Render {
    const { command } = this.#options
    if (command !== undefined && path.length === 1 && path[0] === command.argument) return this.#command(json, path, command.shell)
    if (typeof json === 'string') return this.#text(json, path)
    if (Array.isArray(json)) return this.#list(json as readonly Json[], path)
    if (isObject(json)) return this.#object(json, path)
    return () => rendered(json)
  }

  #list(list: readonly Json[], path: Path): Render {
    const items = list.map((item, index) => this.compile(item, [...path, index]))
    return (values) => {
      const result: Json[] = []
      for (const item of items) {
        const value = item(values)
        if (!value.ok) return value
        result.push(value.value)
      }
      return rendered(result)
    }
  }

  #object(object: JsonObject, path: Path): Render {
    const entries = Object.entries(object).map(([key, value]) => {
      this.#key(key, [...path, key])
      return [key, this.compile(value, [...path, key])] as const
    })
    return (values) => {
      const result: Record<string, Json> = {}
      for (const [key, render] of entries) {
        const value = render(values)
        if (!value.ok) return value
        result[key] = value.value
      }
      return rendered(result)
    }
  }

  #key(key: string, path: Path): void {
    const at = { offset: 0, length: key.length, path, part: 'key' } as const
    if (key.includes('{{')) {
      const message = `the key ${quote(key)} cannot be a template`
      this.problems.push({ rule: 'E_TEMPLATE_SYNTAX', message, fix: 'write the key as plain text', ...at })
    } else if (UNSAFE_NAMES.has(key)) {
      this.problems.push({ rule: 'E_TEMPLATE_REF', message: `${quote(key)} cannot be a key`, fix: 'rename it', ...at })
    }
  }

  #text(text: string, path: Path): Render {
    if (!text.includes('{{') && !text.includes('}}')) return () => rendered(text)
    const { pieces, problems } = checkParts(parseTemplate(text), this.#scope)
    this.#report(path, [...problems, ...secretProblems(pieces, this.#options.secrets)])
    this.#mark(pieces, path, path)
    const [single] = pieces
    if (single?.kind === 'value' && pieces.length === 1) return (values) => renderWhole(single, values)
    const { text: compiled, problems: inText } = compileText(pieces)
    this.#report(path, inText)
    return (values) => compiled.render(values)
  }

  #command(json: Json, path: Path, shell: boolean): Render {
    const { command, problems } = compileCommand(json, this.#scope, { shell })
    for (const { at, ...problem } of problems) this.problems.push({ ...problem, path: at === undefined ? path : [...path, at] })
    if (command === undefined) return () => refused('template_type', 'the command has errors')
    // A script has its values behind "/bin/sh", "-c", the script and its name.
    const places = command.isScript
      ? command.arguments
          .flat()
          .filter(({ kind }) => kind === 'value')
          .map((piece) => [piece])
      : command.arguments
    for (const [index, pieces] of places.entries()) this.#mark(pieces, path, [...path, command.isScript ? index + 4 : index])
    return (values) => command.list.render(values)
  }

  #report(path: Path, problems: readonly TemplateProblem[]): void {
    this.problems.push(...problems.map((problem) => ({ ...problem, path })))
  }

  /** Notes the values of a text, and the place that it gets in the rendered arguments. */
  #mark(pieces: readonly Piece[], path: Path, place: Path): void {
    const values = pieces.filter((piece) => piece.kind === 'value')
    this.values.push(...values.map((piece) => ({ piece, path, place })))
    if (values.some(({ reference: { slot } }) => slot?.type === 'secret_ref')) this.secrets.push(place)
    if (values.some(({ reference: { slot } }) => slot?.sensitive === true)) this.sensitive.push(place)
  }
}

function renderWhole(piece: ValuePiece, values: TemplateValues): Result<Json> {
  const value = renderValue(piece, values)
  return value.ok ? (checkPath(piece, value.value) ?? value) : value
}

/** Refuses a value of which one argument is too large. */
function withLimit(result: Result<Json>): Result<Json> {
  if (!result.ok) return result
  const values = isObject(result.value) ? Object.values(result.value) : [result.value]
  for (const value of values) {
    const large = tooLarge(typeof value === 'string' ? value : JSON.stringify(value))
    if (large !== undefined) return large
  }
  return result
}
