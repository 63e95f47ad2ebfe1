import type { Json } from '../../../kernel/index.ts'
import { isFault } from '../../../kernel/index.ts'
import type { Reader, ReadResult } from '../../../programs/language.ts'
import { readJson } from '../../../text/index.ts'
import { compileTree, type CompileOptions } from '../compile/compile.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import type { TreeSource } from '../model/source.ts'
import type { FunctionRegistry } from '../tick/function-port.ts'
import { treeInputs } from './inputs.ts'

/** What a host knows that trees may name. */
export interface TreeReaderHost {
  readonly functions: FunctionRegistry
  readonly tools: () => readonly string[]
}

/** Reads trees from text, and as objects of modules. */
export function treeReader(options: CompileOptions, _host: TreeReaderHost): Reader<CompiledTree> {
  return {
    read: (text, file) => {
      const json = readJson(text, file)
      return programOf(json.value as unknown as TreeSource, options)
    },
    accept: (value) => (isTree(value) ? programOf(value, options) : undefined),
    inputs: treeInputs,
  }
}

function programOf(source: TreeSource, options: CompileOptions): ReadResult {
  try {
    const def = compileTree(source, options)
    return { program: { id: source.id, version: source.version, source: source as unknown as Json, def }, findings: def.warnings }
  } catch (thrown) {
    if (isFault(thrown)) return { findings: [thrown] }
    throw thrown
  }
}

function isTree(value: unknown): value is TreeSource {
  return typeof value === 'object' && value !== null && 'format' in value && 'root' in value && 'id' in value
}
