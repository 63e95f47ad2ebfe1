import { Fault, type FaultData, type FaultDetails } from '../../../kernel/index.ts'
import { type Path, Source, type TextSpan } from '../../../text/index.ts'
import type { CodeText } from '../lua/machine/run-script.ts'
import type { CheckResult, SyntaxMistake } from '../lua/code-check.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import { faults } from '../model/faults.ts'
import type { NodeSource, TreeSource } from '../model/source.ts'

/** Compiles Lua without running it: `check` of a `LuaPool`. */
export interface LuaChecker {
  check(texts: readonly CodeText[], file: string): Promise<CheckResult>
}

/** A script or a condition in the source of a tree. */
export interface TreeCode extends CodeText {
  readonly node: NodeSource
  /** Its place in the source. */
  readonly path: Path
  /** The file of a script that is not in the tree, relative to the folder of the tree. */
  readonly file: string | undefined
}

/**
 * Returns the code of a tree and of the trees in it that Lua has to run: scripts, and conditions that `isScript` says. Other conditions are read
 * when the tree is compiled.
 */
export function codeOf(
  tree: TreeSource,
  manifests: ReadonlyMap<string, NodeManifest>,
  isScript: (condition: string) => boolean,
): readonly TreeCode[] {
  const found: TreeCode[] = []
  const visitNode = (node: NodeSource, path: Path): void => {
    const { params = {}, children = [] } = node
    for (const { name, type } of manifests.get(node.type)?.parameters ?? []) {
      const code = params[name]
      if (typeof code !== 'string' || (type !== 'lua' && (type !== 'condition' || !isScript(code)))) continue
      const file = type === 'lua' && typeof params.code_file === 'string' ? params.code_file : undefined
      found.push({ code, as: type === 'lua' ? 'script' : 'condition', node, path: [...path, 'params', name], file })
    }
    for (const [i, child] of children.entries()) visitNode(child, [...path, 'children', i])
  }
  const visit = ({ root, on_failure, trees = {} }: TreeSource, path: Path): void => {
    visitNode(root, [...path, 'root'])
    if (on_failure !== undefined) visitNode(on_failure, [...path, 'on_failure'])
    for (const [name, inner] of Object.entries(trees)) visit(inner, [...path, 'trees', name])
  }
  visit(tree, [])
  return found
}

/** The place of a mistake in code. */
export interface CodePlace {
  readonly details: FaultDetails
  /** The number of lines that stand before the code in the file that the details name. */
  readonly above?: number
}

export type LocateCode = (code: TreeCode, mistake: SyntaxMistake) => CodePlace

/** Compiles the code of a tree in one call, and returns the fault of each text that is not Lua: E5001. A tree without code costs no call. */
export async function syntaxFindings(
  codes: readonly TreeCode[],
  lua: () => Promise<LuaChecker>,
  file: string,
  locate: LocateCode,
): Promise<readonly Fault[]> {
  if (codes.length === 0) return []
  const checked = await (await lua()).check(codes, file)
  if (!checked.ok) return [stoppedFault(checked.fault)]
  return codes.flatMap((code, i) => {
    const mistake = checked.mistakes[i]
    return mistake === undefined ? [] : [findingOf(code, mistake, locate)]
  })
}

function stoppedFault({ code, message, verdict, ...details }: FaultData): Fault {
  return new Fault(code, message, verdict, details)
}

function findingOf(code: TreeCode, mistake: SyntaxMistake, locate: LocateCode): Fault {
  const { details, above = 0 } = locate(code, mistake)
  // Lua counts the lines of the code, and the reader those of the file.
  const message = mistake.message.replace(/(?<=\bat line )\d+/g, (line) => String(Number(line) + above))
  return faults.finding('R1241', `the ${code.as} is not Lua: ${message}`, { ...details, rule: 'E5001', path: code.node.id })
}

/** Returns the span of a mistake in its code: that of the word that its message names, if the line has it once; else of the line. */
export function spanOfMistake(code: string, { line, message }: SyntaxMistake): TextSpan {
  const { lines, text } = new Source(code.replace(/^\ufeff/, ' '))
  const [start, end] = lines.range(Math.min(line, lines.count))
  const [from, length] = wordIn(text.slice(start, end), message)
  return { offset: start + from, length }
}

/** Returns the place of a mistake whose code begins on a line of a file, if it stands there as it is. */
export function placeInFile(source: Source, { code, node }: TreeCode, { line, message }: SyntaxMistake): CodePlace | undefined {
  const above = (node.code_line ?? node.line ?? 0) - 1
  const at = above + line
  if (at < 1 || at > source.lines.count) return undefined
  const [start, end] = source.lines.range(at)
  const text = source.text.slice(start, end)
  const own = code.split('\n')[line - 1]?.trim() ?? ''
  const begin = text.indexOf(own)
  if (begin < 0) return undefined
  const [from, length] = wordIn(own, message)
  return { details: source.details(start + begin + from, length), above }
}

/** Returns the offsets of a word in a line, where it is no part of a longer one. */
function placesOf(line: string, word: string): readonly number[] {
  const places: number[] = []
  for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + 1)) {
    const isPart = (/^\w/.test(word) && /\w/.test(line[at - 1] ?? '')) || (/\w$/.test(word) && /\w/.test(line[at + word.length] ?? ''))
    if (!isPart) places.push(at)
  }
  return places
}

/** Returns the place of the word that a message of Lua names in a line, else that of the text of the line. */
function wordIn(line: string, message: string): readonly [offset: number, length: number] {
  const word = /near '(.+)'$/.exec(message)?.[1]
  const places = word === undefined ? [] : placesOf(line, word)
  const [only] = places
  if (word !== undefined && only !== undefined && places.length === 1) return [only, word.length]
  const indent = line.length - line.trimStart().length
  return [indent, Math.max(1, line.trim().length)]
}
