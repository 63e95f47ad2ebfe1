import { digest, isList, isObject, type Json } from '../../kernel/index.ts'
import { type CommandWord, commandWords } from './command-words.ts'

/** The facts about a tool that give its calls their shape. */
export interface ToolShape {
  /** The argument that is a command line: a text, or a list of words. */
  readonly commandLine?: string
  /** The values of arguments that choose among declared ones: the value is a part of the shape. */
  readonly enums?: Readonly<Record<string, readonly string[]>>
}

/** Returns the facts about a tool; undefined for a tool without any. */
export type ToolShapes = (tool: string) => ToolShape | undefined

/** The tools of Reflex that take command lines. */
const HOUSE: Readonly<Record<string, ToolShape>> = { command: { commandLine: 'argv' }, shell: { commandLine: 'command' } }

/** Returns the facts about the tools of Reflex itself. */
export const houseTools: ToolShapes = (tool) => (Object.hasOwn(HOUSE, tool) ? HOUSE[tool] : undefined)

/** The depth of a path of sub-commands after the command itself. */
const SUB_COMMANDS = 4
const SUB_COMMAND = /^[a-z][a-z0-9_-]*$/
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/
/** A longer symbol ends with a digest. */
const LONGEST_SYMBOL = 512

/**
 * Returns the symbol of a call: its tool and the shape of its operation (reference skill 1.21). The shape of a command line is the command
 * with its sub-commands and the names of its flags, `term.exec:az webapp restart{--name}`; that of other arguments is their names and JSON
 * types, with the values of declared enums. Values do not change it.
 */
export function operationShape(tool: string, args: Json | undefined, facts: ToolShape = {}): string {
  const symbol = `${tool}:${shapeOf(args, facts)}`
  return symbol.length <= LONGEST_SYMBOL ? symbol : `${symbol.slice(0, LONGEST_SYMBOL)}#${digest(symbol).slice(0, 16)}`
}

/** Returns the tool of a symbol, or the command of a command line. */
export function shortSymbol(symbol: string): string {
  const colon = symbol.indexOf(':')
  const [tool, shape] = [symbol.slice(0, colon), symbol.slice(colon + 1)]
  if (tool === 'skill' || shape === '?') return symbol
  return shape.startsWith('(') ? tool : (shape.split(/[{(]/)[0] ?? tool)
}

/** Returns the words of a command line: a text or a list of texts. Undefined for anything else, and for a text that cannot be split. */
export function wordsOf(line: Json | undefined): readonly CommandWord[] | undefined {
  if (typeof line === 'string') return commandWords(line)
  return isTexts(line) ? line.map((text) => ({ text })) : undefined
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return isList(value) && value.every((item) => typeof item === 'string')
}

function shapeOf(args: Json | undefined, { commandLine, enums = {} }: ToolShape): string {
  if (!isObject(args)) return args === undefined || args === null ? '()' : `(${jsonType(args)})`
  const line = commandLine !== undefined && Object.hasOwn(args, commandLine) ? args[commandLine] : undefined
  const others = Object.keys(args)
    .filter((key) => line === undefined || key !== commandLine)
    .sort()
    .map((key) => argumentShape(key, args[key] ?? null, Object.hasOwn(enums, key) ? (enums[key] ?? []) : []))
  if (line === undefined) return `(${others.join(',')})`
  return `${lineShape(line)}${others.length === 0 ? '' : `(${others.join(',')})`}`
}

function argumentShape(key: string, value: Json, declared: readonly string[]): string {
  return typeof value === 'string' && declared.includes(value) ? `${key}=${value}` : `${key}:${jsonType(value)}`
}

/** Returns the JSON type of a value. A redacted value counts as the text that it stands for. */
function jsonType(value: Json): string {
  if (value === null) return 'null'
  if (isList(value)) return 'list'
  if (isObject(value)) return Object.hasOwn(value, '$redacted') ? 'string' : 'object'
  return typeof value
}

/** Returns the shape of a command line; of several commands, their shapes with the operators between them. */
function lineShape(line: Json): string {
  const words = wordsOf(line)
  if (words === undefined || words.length === 0) return '?'
  const shapes: string[] = []
  let command: string[] = []
  const end = (): void => {
    if (command.length > 0) shapes.push(commandShape(command))
    command = []
  }
  for (const { text, isOperator } of words) {
    if (isOperator !== true) command.push(text)
    else {
      end()
      shapes.push(text === '\n' ? ';' : text)
    }
  }
  end()
  return shapes.join(' ')
}

function commandShape(words: readonly string[]): string {
  const first = words.findIndex((word) => !ASSIGNMENT.test(word))
  const assigned = words.slice(0, first < 0 ? words.length : first).map((word) => word.slice(0, word.indexOf('=') + 1))
  const [command = '', ...rest] = first < 0 ? [] : words.slice(first)
  const depth = rest.slice(0, SUB_COMMANDS).findIndex((word) => !SUB_COMMAND.test(word))
  const path = rest.slice(0, depth < 0 ? SUB_COMMANDS : depth)
  const end = rest.indexOf('--')
  const flags = [...new Set((end < 0 ? rest : rest.slice(0, end)).flatMap(flagName))].sort()
  return `${[...assigned, command, ...path].join(' ')}${flags.length === 0 ? '' : `{${flags.join(',')}}`}`
}

/** Returns the name of a flag; empty for another word. A negative number is a value. */
export function flagName(word: string): readonly string[] {
  if (!/^-{1,2}[A-Za-z?]/.test(word)) return []
  const equals = word.indexOf('=')
  return [equals < 0 ? word : word.slice(0, equals)]
}
