import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { isFault, type Json, type JsonObject } from '../../../kernel/index.ts'
import { loadPipeline } from '../check/load.ts'
import { type ReadCheckpoint, readCheckpoint, unusable } from './read-checkpoint.ts'
import type { Secret } from './signature.ts'
import { graphHash } from './graph-hash.ts'
import { versionOf } from '../dot/version.ts'
import type { OperationTable } from '../model/operation-table.ts'
import type { TypedGraph } from '../model/typed.ts'
import { textOf } from '../dot/graph.ts'
import { pipelineFaults } from '../contract/faults.ts'
import { storedRunArgument } from '../engine/resuming.ts'
import { folderOfRound } from '../contract/paths.ts'

/** The options for a run that begins at a checkpoint. */
export interface CheckpointOptions {
  readonly secret?: Secret | undefined
  /** True if the graph may differ from that of the checkpoint. */
  readonly force?: boolean | undefined
  /** True if a stage that was running, or at which the run failed, is executed again, even if it has side effects. */
  readonly retry?: boolean | undefined
}

/** Returns the latest checkpoint of a folder: that of its last round. Throws `R2203` if there is none. */
export function latestCheckpoint(logsRoot: string): string {
  let found: string | undefined
  for (let round = 0; ; round++) {
    const folder = folderOfRound(logsRoot, round)
    const file = join(folder, 'checkpoint.json')
    if (existsSync(file)) found = file
    else if (!existsSync(folder)) break
  }
  if (found === undefined) throw unusable(logsRoot, 'it has no checkpoint.json')
  return found
}

/** Reads a checkpoint file. Throws `R2202` and `R2203`. */
export function openCheckpoint(file: string, secret?: Secret): ReadCheckpoint {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw pipelineFaults.make('R2203', `the checkpoint ${file} cannot be read`, { file, cause })
  }
  return readCheckpoint(text, { file, secret, artifact: (link) => artifactBeside(file, link) })
}

/**
 * Returns the argument of a run that begins at a checkpoint. Throws `R2203` if the checkpoint is of another graph, and
 * `R2204` if a stage was running that must not be executed again without a question (reference pipeline 3.13).
 */
export function resumeArgument(
  { storedRun: stored, graphHash: hash, graphId, graphDot, proven, inFlight }: ReadCheckpoint,
  typed: TypedGraph,
  options: CheckpointOptions,
): JsonObject {
  const { checkpoint: file } = stored
  const { graph } = typed
  const isSame = hash === undefined || hash === graphHash(graph)
  if (options.force !== true && !isSame)
    throw unusable(file, `it is of another version of ${graphId ?? 'the pipeline'}: its graph has another hash; --force resumes anyway`)
  // A caller that forces another graph wants that graph, not the changed one of the checkpoint.
  const adapted = graphDot === undefined || !isSame ? undefined : readAdapted(graphDot, file, typed.operations)
  const held =
    adapted === undefined
      ? stored
      : { ...stored, adapted: { dot: graphDot ?? '', version: versionOf(adapted.graph), from: graphHash(graph), proven } }
  if (!(adapted ?? typed).nodes.has(held.current_node)) throw unusable(file, `${graph.id} has no node ${held.current_node}`)
  const mayRepeat = options.retry === true || textOf(graph.attributes, 'on_resume') === 'retry'
  if (inFlight?.idempotency === 'side_effecting' && !mayRepeat)
    throw pipelineFaults.make('R2204', `${inFlight.node_id} was running: the outcome of its effects is unknown`, {
      file,
      path: inFlight.node_id,
      rule: 'indeterminate_side_effect',
    })
  const isFailed = held.outcomes[held.current_node]?.status === 'fail'
  return storedRunArgument(options.retry === true && isFailed ? { ...held, again: true } : held)
}

/** Returns the pipeline of a checkpoint whose run changed it. */
function readAdapted(dot: string, file: string, operations: OperationTable): TypedGraph {
  try {
    return loadPipeline({ dot, transformed: true }, operations)
  } catch (thrown) {
    if (isFault(thrown)) throw unusable(file, `its graph_dot is not a valid pipeline: ${thrown.code} ${thrown.message}`)
    throw thrown
  }
}

/**
 * Returns a value from a file. The file must lie below the checkpoint's own folder and have the hash that the
 * checkpoint states.
 */
function artifactBeside(checkpoint: string, link: JsonObject): Json {
  const { file_path: path, sha256: hash, format } = link
  const folder = dirname(resolve(checkpoint))
  if (typeof path !== 'string') throw unusable(checkpoint, 'a link to a value has no file_path')
  let text: string
  try {
    const file = realpathSync(resolve(folder, path))
    if (relative(realpathSync(folder), file).startsWith('..')) throw new Error(`${path} leads out of the folder`)
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw pipelineFaults.make('R2203', `${basename(checkpoint)}: the value in ${path} cannot be read`, { file: checkpoint, cause })
  }
  if (typeof hash === 'string' && createHash('sha256').update(text, 'utf8').digest('hex') !== hash)
    throw pipelineFaults.make('R2202', `${path} was changed after the checkpoint was written`, { file: checkpoint, rule: 'tampered' })
  if (format !== 'json') return text
  try {
    return JSON.parse(text) as Json
  } catch {
    throw unusable(checkpoint, `${path} is not JSON`)
  }
}
