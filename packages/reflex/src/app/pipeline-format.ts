import { dirname } from 'node:path'
import { fileAbove } from '../kinds/pipeline/face/file-above.ts'
import { ACTION_NAMES } from '../kinds/pipeline/model/action-facts.ts'
import { ActionRegistry } from '../kinds/pipeline/operations/actions/registry.ts'
import { openCheckpoint, resumeArgument } from '../kinds/pipeline/folder/resume.ts'
import type { TypedGraph } from '../kinds/pipeline/model/typed.ts'
import { formatDot } from '../kinds/pipeline/dot/format.ts'
import { type DotGraph, textOf } from '../kinds/pipeline/dot/graph.ts'
import { FolderWriter } from '../kinds/pipeline/folder/folder-writer.ts'
import { checkInputs } from '../kinds/pipeline/contract/inputs.ts'
import { locateInPipeline } from '../kinds/pipeline/face/locate.ts'
import type { ReadPipelineResult } from '../kinds/pipeline/check/read.ts'
import { readGraph, readPipeline, type ReadPipelineOptions } from '../kinds/pipeline/face/read-pipeline.ts'
import { realPath } from '../tools/paths.ts'
import type { ProgramFormat, ReadOptions, ReadResult } from './program-format.ts'

/** Pipelines in DOT, and in modules as text or as graphs. */
export const pipelineFormat: ProgramFormat = {
  kind: 'pipeline',
  countsSteps: true,
  hasRouting: true,
  hasLintRules: true,
  endings: ['.dot', '.gv', '.pipeline.ts', '.pipeline.js', '.pipeline.mjs'],
  read(text, file, options) {
    const { lookup, places = { roots: [realPath(dirname(file))] } } = options
    const exists = (path: string): boolean => fileAbove(dirname(file), path, places) !== undefined
    const knows = lookup === undefined ? undefined : (reference: string): boolean => lookup(reference) !== undefined
    return resultOf(readPipeline(text, file, { ...readOptionsOf(options), exists, knows }))
  },
  accept(value, file, options) {
    const name = file === '' ? undefined : file
    if (typeof value === 'string') return BEGINNING.test(value) ? resultOf(readPipeline(value, name, readOptionsOf(options))) : undefined
    return isGraph(value) ? resultOf(readGraph(value, name, readOptionsOf(options))) : undefined
  },
  acceptInputs: (_, input) => checkInputs(input),
  format: formatDot,
  keepFolder: (runtime, run, options) => new FolderWriter(runtime, run, options).ready,
  resumeInput: (def, file, { secret, force }) => resumeArgument(openCheckpoint(file, secret), def as TypedGraph, { force }),
  locate: locateInPipeline,
}

function readOptionsOf({
  lint,
  proofs,
  pipelines: { handlers, operations, transforms, actions, middleware, ...calls } = {},
}: Partial<ReadOptions> = {}): ReadPipelineOptions {
  // A run may be simulated or recorded: only `validate` asks about names of models.
  const nameChecks = proofs === 'errors' ? {} : { tools: calls.tools?.names(), models: calls.models }
  const hostActions = new ActionRegistry(actions)
  return {
    lint,
    operations,
    custom: handlers?.facts(),
    transforms: { registered: transforms },
    actions: [...ACTION_NAMES, ...hostActions.names()],
    parameters: (action) => hostActions.get(action)?.parameters,
    middleware,
    ...nameChecks,
  }
}

/** The word that a pipeline begins with, behind comments: other texts that a module exports are not meant. */
const BEGINNING = /^\ufeff?(?:\s|\/\/[^\n]*\n|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*(?:strict\s+)?(?:di)?graph\b/

function resultOf({ id, source, typed, findings }: ReadPipelineResult): ReadResult {
  if (id === undefined || source === undefined) return { findings }
  const version = (typed && textOf(typed.graph.attributes, 'version')?.trim()) || undefined
  return { program: { id, version, source: { ...source }, def: typed, local: undefined }, findings }
}

function isGraph(value: unknown): value is DotGraph {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    typeof value.id === 'string' &&
    'nodes' in value &&
    value.nodes instanceof Map &&
    'edges' in value &&
    Array.isArray(value.edges) &&
    'attributes' in value &&
    value.attributes instanceof Map
  )
}
