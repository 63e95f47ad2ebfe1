import { type Fault, isFault } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { loadError } from '../board/errors.ts'
import { conditionCode } from '../compile/code.ts'
import { faults } from '../model/faults.ts'
import type { TreeSource } from '../model/source.ts'
import { codeLocator } from '../formats/code-locator.ts'
import { codeOf, type LuaChecker, syntaxFindings } from '../formats/code-syntax.ts'
import { readJsonTree } from '../formats/json.ts'
import { type LuaLoader, readLuaTree } from '../formats/read-lua.ts'
import { readXmlTree } from '../formats/xml/read-xml.ts'
import { NODES } from '../nodes/table.ts'
import { nodeFiles, type TreeFiles } from './tree-files.ts'

/** A tree as it is loaded: data that a builder makes a tree of. */
export type TreeDefinition = TreeSource

/** A tree that was read, or what is wrong with its text. */
export interface ReadTree {
  readonly source?: TreeSource | undefined
  readonly findings: readonly Fault[]
}

/** A written form of trees. */
export interface TreeFormat {
  /** The ending of its files, such as `.tree.json`. */
  readonly ending: string
  /** Reads a text. Never throws; all mistakes are findings. */
  read(text: string, file: string): ReadTree | Promise<ReadTree>
}

/** Trees in JSON. */
export const JSON_TREES: TreeFormat = { ending: '.tree.json', read: readJsonTree }

/** Trees in the XML of BehaviorTree.CPP. */
export const XML_TREES: TreeFormat = { ending: '.xml', read: readXmlTree }

/** Trees in Lua, which run in workers without access to anything. The workers start with the first file and keep no process alive. */
export const LUA_TREES: TreeFormat = {
  ending: '.lua',
  read: async (text, file) => readLuaTree(text, file, await luaWorkers()),
}

let workers: Promise<LuaLoader & LuaChecker> | undefined

function luaWorkers(): Promise<LuaLoader & LuaChecker> {
  return (workers ??= import('../lua/pool.ts').then(({ LuaPool }) => new LuaPool()))
}

export interface LoaderOptions {
  /** The written forms, in the order in which a name is looked up. Default: Lua, JSON and XML. */
  readonly formats?: readonly TreeFormat[]
  readonly files?: TreeFiles
}

/** Loads trees from files (seed tree 2.6). It reads and checks nothing but the text: `TreeValidator` checks the tree, `TreeBuilder` makes it. */
export class TreeLoader {
  readonly #formats: readonly TreeFormat[]
  readonly #files: TreeFiles

  constructor({ formats = [LUA_TREES, JSON_TREES, XML_TREES], files = nodeFiles }: LoaderOptions = {}) {
    this.#formats = formats
    this.#files = files
  }

  /** The endings of files that it loads. */
  get endings(): readonly string[] {
    return this.#formats.map(({ ending }) => ending)
  }

  /**
   * Loads a file. `shown`: its name in messages. Rejects with `R1201` for a file that does not exist or has another ending, and with the first
   * mistake of a text that cannot be read.
   */
  async load(path: string, shown = path): Promise<TreeDefinition> {
    const format = this.#formatOf(path, shown)
    const text = this.#files.read(path)
    if (text === undefined) throw loadError([faults.make('R1201', `${quote(shown)} does not exist`, { rule: 'E4001', file: shown })])
    return this.#read(format, text, shown)
  }

  /** Loads a tree from a text, for tests. */
  async loadString(text: string, sourceName = '<string>', ending = this.endings[0] ?? ''): Promise<TreeDefinition> {
    return this.#read(this.#formatOf(ending, sourceName), text, sourceName)
  }

  #formatOf(path: string, shown: string): TreeFormat {
    const format = this.#formats.find(({ ending }) => path.endsWith(ending))
    if (format !== undefined) return format
    const fix = `name the file with ${this.endings.join(' or ')}`
    throw loadError([faults.make('R1201', `${quote(shown)} has no ending of a tree`, { rule: 'E4001', file: shown, fix })])
  }

  async #read(format: TreeFormat, text: string, file: string): Promise<TreeDefinition> {
    const { source, findings } = await format.read(text, file)
    const syntax = source === undefined ? [] : await syntaxOf(source, text, file)
    const [first, ...rest] = [...findings, ...syntax].filter(({ severity }) => severity === 'error')
    if (first !== undefined) throw loadError([first, ...rest])
    if (source === undefined) throw loadError([noTree(file)])
    return source
  }
}

/** Checks the syntax of the scripts of a tree, and of its conditions that Lua has to run. */
async function syntaxOf(source: TreeSource, text: string, file: string): Promise<readonly Fault[]> {
  const isScript = (condition: string): boolean => {
    const code = conditionCode(condition, {})
    return !isFault(code) && code.is === 'script'
  }
  return syntaxFindings(codeOf(source, NODES_BY_TYPE, isScript), luaWorkers, file, codeLocator({ text, file }))
}

const NODES_BY_TYPE = new Map(NODES.map((manifest) => [manifest.type, manifest]))

function noTree(file: string): Fault {
  return faults.finding('R1206', `${file} has no tree`, { rule: 'E4002', file, fix: 'write a file that has a tree' })
}
