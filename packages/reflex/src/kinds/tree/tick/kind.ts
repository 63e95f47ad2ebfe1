import type { Json, Kind } from '../../../kernel/index.ts'
import type { CompileOptions } from '../compile/compile.ts'
import { compileTree } from '../compile/compile.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { DEFAULT_LIMIT } from '../board/board-family.ts'
import type { TreeSource } from '../model/source.ts'
import { programName } from '../nodes/call.ts'
import { standingAt } from './node-states.ts'
import { stepTree } from './step.ts'

/** The records of a segment of a tree that ticks for days. */
const SEGMENT = 10_000

/** Makes the kind of trees, with the nodes and schemas of a host. */
export function treeKind(options: CompileOptions): Kind<CompiledTree> {
  return {
    name: 'tree',
    rev: 1,
    endless: SEGMENT,
    cancels: true,
    board: { isReserved: '_', scopes: true, tombstones: true, limit: DEFAULT_LIMIT },
    compile: (source: Json, pinned) => compileTree(source as unknown as TreeSource, { ...options, pinned }),
    isUntrusted: ({ isUntrusted }) => isUntrusted,
    functions: ({ functions }) => functions,
    calls: ({ refs, calls }) => [...refs.map(programName), ...calls],
    isInternal: (key) => key.startsWith('_'),
    node: standingAt,
    step: stepTree,
  }
}
