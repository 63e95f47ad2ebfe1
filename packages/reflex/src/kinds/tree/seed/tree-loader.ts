import { type Fault, isFault } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { loadError } from '../board/errors.ts'
import { conditionCode } from '../compile/code.ts'
import { faults } from '../model/faults.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import type { TreeSource } from '../model/source.ts'
import { codeLocator } from '../formats/code-locator.ts'
import { codeOf, syntaxFindings } from '../formats/code-syntax.ts'
import { readJsonTree } from '../formats/json.ts'
import { type LuaLoader, readLuaTree } from '../formats/read-lua.ts'
import { readXmlTree } from '../formats/xml/read-xml.ts'
import { NODES } from '../nodes/table.ts'
import { luaWorkers } from './lua-workers.ts'
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
  /** Reads a text. Never throws; all mistakes are findings. `manifests`: the types of nodes that it may name. */
  read(text: string, file: string, options?: { readonly manifests?: readonly NodeManifest[] }): ReadTree | Promise<ReadTree>
}

/** Trees in JSON. */
export const JSON_TREES: TreeFormat = { ending: '.tree.json', read: readJsonTree }

/** Trees in the XML of BehaviorTree.CPP. */
export const XML_TREES: TreeFormat = { ending: '.xml', read: readXmlTree }

/** Trees in Lua, which run in workers without access to anything. The workers start with the first file and keep no process alive. */
export const LUA_TREES: TreeFormat = luaTrees()

function luaTrees(timeoutMs?: number): TreeFormat {
  const lua: LuaLoader = { load: async (request) => (await luaWorkers()).load({ ...request, limits: { timeoutMs } }) }
  return { ending: '.lua', read: (text, file, options) => readLuaTree(text, file, lua, options) }
}

export interface LoaderOptions {
  /** The written forms, in the order in which a name is looked up. Default: Lua, JSON and XML. */
  readonly formats?: readonly TreeFormat[]
  /** Default: the files of this machine. */
  readonly files?: TreeFiles
  /** Types of nodes in addition to the catalogue. */
  readonly nodes?: readonly NodeManifest[]
  /** The longest time that a file in Lua may take, in milliseconds: 5000 by default, at most 30,000. Beyond it: `LuaTimeoutError` (R1243). */
  readonly sandboxTimeoutMs?: number
}

/** Loads trees from files (seed tree 2.6). It reads and checks nothing but the text: `TreeValidator` checks the tree, `TreeBuilder` makes it. */
export class TreeLoader {
  readonly #formats: readonly TreeFormat[]
  readonly #files: TreeFiles
  readonly #manifests: readonly NodeManifest[]

  constructor({ formats, files = nodeFiles, nodes = [], sandboxTimeoutMs }: LoaderOptions = {}) {
    this.#formats = formats ?? [luaTrees(sandboxTimeoutMs), JSON_TREES, XML_TREES]
    this.#files = files
    this.#manifests = [...NODES, ...nodes]
  }

  /** The endings of files that it loads. */
  get endings(): readonly string[] {
    return this.#formats.map(({ ending }) => ending)
  }

  /**
   * Loads a file. `shown`: its name in messages. Rejects with `R1201` for a file that does not exist or has another ending, and with all mistakes
   * of a text as one error of the class of the first: `LuaSyntaxError` (R1241), `LuaTimeoutError` (R1243), `TreeDefinitionError` (R1202).
   */
  async load(path: string, shown = path): Promise<TreeDefinition> {
    const format = this.#formatOf(path, shown)
    const text = this.#files.read(path)
    if (text === undefined) throw loadError([faults.make('R1201', `${quote(shown)} does not exist`, { rule: 'E4001', file: shown })])
    return this.#read(format, text, shown)
  }

  /**
   * Loads a tree from a text, as `load` does from a file. `sourceName`: its name in messages. `ending`: the written form; default: that of the
   * first format, which is Lua.
   */
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
    const { source, findings } = await format.read(text, file, { manifests: this.#manifests })
    const syntax = source === undefined ? [] : await syntaxOf(source, this.#manifests, text, file)
    const [first, ...rest] = [...findings, ...syntax].filter(({ severity }) => severity === 'error')
    if (first !== undefined) throw loadError([first, ...rest])
    if (source === undefined) throw loadError([noTree(file)])
    return source
  }
}

/** Checks the syntax of the scripts of a tree, and of its conditions that Lua has to run. */
async function syntaxOf(source: TreeSource, manifests: readonly NodeManifest[], text: string, file: string): Promise<readonly Fault[]> {
  const isScript = (condition: string): boolean => {
    const code = conditionCode(condition, {})
    return !isFault(code) && code.is === 'script'
  }
  const byType = new Map(manifests.map((manifest) => [manifest.type, manifest]))
  return syntaxFindings(codeOf(source, byType, isScript), luaWorkers, file, codeLocator({ text, file }))
}

function noTree(file: string): Fault {
  return faults.finding('R1206', `${file} has no tree`, { rule: 'E4002', file, fix: 'write a file that has a tree' })
}
