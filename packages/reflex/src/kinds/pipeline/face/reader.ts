import { dirname } from 'node:path'
import type { Fault } from '../../../kernel/index.ts'
import { fileAbove } from '../../../programs/file-above.ts'
import type { ReadContext, Reader, ReadResult } from '../../../programs/language.ts'
import { realPath } from '../../../tools/paths.ts'
import type { ReadPipelineResult } from '../check/read.ts'
import { readGraph, readPipeline, type ReadPipelineOptions } from './read-pipeline.ts'
import { outsideLabels } from '../engine/labels.ts'
import type { Operation } from '../contract/define-operation.ts'
import { checkInputs } from '../contract/inputs.ts'
import { type DotGraph, textOf } from '../dot/graph.ts'
import type { HandlerRegistry } from '../engine/custom.ts'
import type { Transform } from '../language/transforms.ts'
import { ACTION_NAMES } from '../model/action-facts.ts'
import type { TypedGraph } from '../model/typed.ts'
import { ActionRegistry, type HostActions } from '../operations/actions/registry.ts'
import { pipelineLanguage } from './language.ts'

/** The extensions of a host for reading pipelines. */
export interface PipelineReaderOptions {
  /** Operations in addition to the built-in ones. */
  readonly operations?: readonly Operation[] | undefined
  /** Handlers by node type. */
  readonly handlers?: HandlerRegistry | undefined
  readonly transforms?: readonly Transform[] | undefined
  /** Actions in addition to the built-in ones. */
  readonly actions?: HostActions | undefined
  /** Names of the middleware that a pipeline can request. Not checked if absent. */
  readonly middleware?: readonly string[] | undefined
  /** Returns the names of tools. `models` returns the findings about a model name. */
  readonly tools?: () => readonly string[]
  readonly models?: (name: string) => readonly Fault[]
}

/** Returns the reader of pipelines: from text, and from modules that export text or graphs. */
export function pipelineReader(host: PipelineReaderOptions = {}): Reader<TypedGraph> {
  return {
    read(text, file, context) {
      const { lookup, places = { roots: [realPath(dirname(file))] } } = context
      const exists = (path: string): boolean => fileAbove(dirname(file), path, places) !== undefined
      const knows = lookup === undefined ? undefined : (reference: string): boolean => lookup(reference) !== undefined
      return resultOf(readPipeline(text, file, { ...readOptionsOf(host, context), exists, knows }))
    },
    accept(value, file, context) {
      const options = readOptionsOf(host, context)
      if (typeof value === 'string') return pipelineLanguage.owns(value) ? resultOf(readPipeline(value, file, options)) : undefined
      return isGraph(value) ? resultOf(readGraph(value, file, options)) : undefined
    },
    inputs: (_, input) => checkInputs(input),
    outside: outsideLabels,
  }
}

function readOptionsOf(
  { handlers, operations, transforms, actions, middleware, tools, models }: PipelineReaderOptions,
  { lint, depth }: ReadContext = {},
): ReadPipelineOptions {
  // Only `validate` checks model names: a run may be simulated or replayed from recordings.
  const nameChecks = depth === 'errors' ? {} : { tools: tools?.(), models }
  const hostActions = new ActionRegistry(actions)
  return {
    lint,
    operations,
    custom: handlers?.facts(),
    hostActions: new Set(hostActions.names()),
    transforms: { registered: transforms },
    actions: [...ACTION_NAMES, ...hostActions.names()],
    parameters: (action) => hostActions.get(action)?.parameters,
    middleware,
    ...nameChecks,
  }
}

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
