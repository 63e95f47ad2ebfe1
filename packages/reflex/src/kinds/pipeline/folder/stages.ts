import { type Frame, isList, isObject, type Json, type JsonObject, type Ref, type Request, type Change } from '../../../kernel/index.ts'
import { attemptOf, concludedOf, iso, pairs } from './progress.ts'
import type { TypedGraph } from '../model/typed.ts'
import { stripped } from './checkpoint.ts'
import { shownRequest } from '../contract/conversation.ts'
import { remarksOf } from '../engine/story.ts'
import { type StoredOutcome, outcomeOf, internalKeyOf } from '../contract/engine-board.ts'
import type { FolderImage } from './image.ts'
import { ARTIFACT, storedFile } from '../engine/artifacts.ts'
import { safeName, stagePath } from '../contract/paths.ts'
import { renderText } from '../language/render.ts'

/** The files of a stage (seed pipeline 7.6). */
const FILES = ['prompt.md', 'request.json', 'response.md', 'status.json'] as const

/** The current execution of a frame. */
interface Stage {
  readonly path: string
  prompted: boolean
}

interface ModelCall {
  readonly frame: Frame
  readonly id: Ref
  readonly request: Request
}

/** The files of stages: the request to a model, its response, and the status of the stage (reference pipeline 6.3, 6.4). */
export class StageFiles {
  readonly #definition: (frame: Frame) => unknown
  /** True if small artifacts are files as well. */
  readonly #persists: boolean
  readonly #stages = new Map<Ref, Stage>()
  readonly #asked = new Map<Ref, Stage>()
  /** The number of visits of each folder. */
  #visits = new Map<string, number>()

  constructor(definition: (frame: Frame) => unknown, persists = false) {
    this.#definition = definition
    this.#persists = persists
  }

  /** Begins a new round, which has its own folder. */
  restart(): void {
    this.#visits = new Map()
  }

  take(change: Change<TypedGraph>, image: FolderImage): void {
    const { record, frame, n } = change
    for (const [type, payload] of remarksOf(record.more?.note)) {
      if (type === 'stage_started') this.#begin(frame, renderText(payload['node_id']), image)
      if (type === 'stage_retrying') this.#retry(frame)
      if (type === 'tool_call') this.#called(frame, payload, image)
    }
    for (const [key, value] of pairs(record.writes ?? [])) putArtifact(image, key, value, this.#persists)
    this.#reply(change, image)
    const stage = this.#stages.get(frame.id)
    if (stage === undefined) return
    for (const [i, request] of (record.requests ?? []).entries()) this.#ask(stage, { frame, id: i === 0 ? n : `${n}.${i}`, request }, image)
    const remark = concludedOf(change)
    if (remark !== undefined) this.#end(change, remark, stage, image)
  }

  #begin(frame: Frame, node: string, image: FolderImage): void {
    const path = stagePath(frame, node, this.#definition)
    const visits = this.#visits.get(path) ?? 0
    this.#visits.set(path, visits + 1)
    if (visits > 0) image.move(FILES, path, `${path}/attempts/${visits}`)
    this.#stages.set(frame.id, { path, prompted: false })
  }

  #retry(frame: Frame): void {
    const stage = this.#stages.get(frame.id)
    if (stage !== undefined) stage.prompted = false
  }

  /** Writes a tool call. Its number continues over the turns of a stage. */
  #called(frame: Frame, { node_id: _, ...call }: JsonObject, image: FolderImage): void {
    const stage = this.#stages.get(frame.id)
    const name = safeName(`${renderText(call['number'])}-${renderText(call['tool'])}`)
    if (stage !== undefined) image.put(`${stage.path}/tool_calls/${name}.json`, `${JSON.stringify(call, null, 2)}\n`)
  }

  #ask(stage: Stage, { frame, id, request: [port, args] }: ModelCall, image: FolderImage): void {
    if (port !== 'model') return
    this.#asked.set(id, stage)
    const request = shownRequest({ args, frame })
    const prompt = stage.prompted ? undefined : lastUserMessage(request)
    if (prompt !== undefined) {
      image.put(`${stage.path}/prompt.md`, prompt)
      image.put(`${stage.path}/request.json`, `${JSON.stringify(request, null, 2)}\n`)
    }
    stage.prompted = true
  }

  #reply({ record: { input } }: Change, image: FolderImage): void {
    if (input?.[0] !== 'ok' && input?.[0] !== 'err') return
    const stage = this.#asked.get(input[1])
    this.#asked.delete(input[1])
    const text = input[0] === 'ok' && isObject(input[2]) ? input[2]['text'] : undefined
    if (stage !== undefined && typeof text === 'string') image.put(`${stage.path}/response.md`, text)
  }

  #end({ record, frame, at, before, def }: Change<TypedGraph>, remark: JsonObject, stage: Stage, image: FolderImage): void {
    this.#stages.delete(frame.id)
    const written: [string, Json][] = []
    let kept: StoredOutcome | undefined
    for (const [key, value] of pairs(record.writes ?? [])) {
      if (!key.startsWith('#')) written.push([key, value])
      else if (isOutcomeOf(key, remark['node_id'])) kept ??= value as unknown as StoredOutcome
    }
    const updates = stripped(Object.fromEntries(written))
    // The prompt as its author wrote it: the request also contains the additions of the engine.
    putText(image, `${stage.path}/prompt.md`, updates['last_prompt'])
    if (!stage.prompted) putText(image, `${stage.path}/response.md`, updates['last_response'])
    if (kept === undefined || def.nodes.get(renderText(remark['node_id']))?.canonical === 'exit') return
    const { status, preferred_label = '', suggested_next_ids = [], notes = '', failure_reason = '' } = outcomeOf(kept)
    const file = {
      outcome: status,
      status,
      preferred_label,
      preferred_next_label: preferred_label,
      suggested_next_ids,
      context_updates: updates,
      notes,
      failure_reason,
      timestamp: iso(at),
      duration_ms: remark['duration_ms'] ?? 0,
      attempt: attemptOf(before),
      written_by: 'engine',
    }
    image.put(`${stage.path}/status.json`, `${JSON.stringify(file, null, 2)}\n`)
  }
}

function isOutcomeOf(key: string, node: Json | undefined): boolean {
  const { contains, name } = internalKeyOf(key)
  return contains === 'outcome' && name === node
}

function putText(image: FolderImage, path: string, text: Json | undefined): void {
  if (typeof text === 'string') image.put(path, text)
}

/** Writes a large artifact of a node as a separate file (seed pipeline 7.5). */
function putArtifact(image: FolderImage, key: string, value: Json, persists: boolean): void {
  const { about, data } = key.startsWith(ARTIFACT) && isObject(value) ? value : {}
  if (!isObject(about) || data === undefined || storedFile(data) !== undefined || (about['storage'] !== 'file' && !persists)) return
  image.put(`artifacts/${key.slice(ARTIFACT.length)}`, typeof data === 'string' ? data : `${JSON.stringify(data, null, 2)}\n`)
}

function lastUserMessage(request: Json | undefined): string | undefined {
  const messages = isObject(request) && isList(request['messages']) ? request['messages'] : []
  const last = messages.findLast((message) => isObject(message) && message['role'] === 'user')
  return isObject(last) && typeof last['content'] === 'string' ? last['content'] : undefined
}
