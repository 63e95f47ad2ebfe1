import { z } from 'zod'
import { canonicalJson, copyJson, digest, Fault, type FaultData, isObject, type Json } from '../kernel/index.ts'
import { once } from '../text/index.ts'
import { Account } from './account.ts'
import { faults } from './faults.ts'
import { issueText } from './issue-text.ts'
import { withCheckedFiles, withoutBytes } from './content.ts'
import { incompleteFault } from './answer-completeness.ts'
import type { FindMisfits } from './misfits.ts'
import { FREE } from './prices.ts'
import { hasOfferedTools, type PartialReply } from './request.ts'
import { replyShape } from './request-shape.ts'
import { complete, streamReply } from './scripted.ts'
import { schemaCheck } from './structured.ts'
import type { ModelCall, ModelReply, ModelRequest, Models, Price } from './types.ts'

/** The version of the lines of a recording. */
export const RECORDING_VERSION = 1

const faultShape = once(() => z.looseObject({ code: z.string(), message: z.string(), verdict: z.enum(['retry', 'fail', 'wait', 'bug']) }))
const entryShape = once(() =>
  z
    .strictObject({
      v: z.literal(RECORDING_VERSION).optional(),
      label: z.string().optional(),
      request: z.string().optional(),
      reply: replyShape().optional(),
      fault: z.custom<FaultData>((value) => faultShape().safeParse(value).success, 'expected {code, message, verdict}').optional(),
      by: z.string().optional(),
    })
    .refine(
      ({ label, request }) => label !== undefined || request !== undefined,
      'a line needs "label", or "request" as --record writes it',
    )
    .refine(({ reply, fault }) => (reply === undefined) !== (fault === undefined), 'a line needs either "reply" or "fault"'),
)

type Entry = z.infer<ReturnType<typeof entryShape>> & { readonly line: number }

const BY_HAND = 'write a line such as {"label": "refund/decide", "reply": {"object": {"edge": "FULL"}}, "by": "hand"}'

/**
 * Returns the digest by which a recording identifies a request: the question and its form. It excludes the model,
 * because a recording replaces every model, and also the timeouts, the number of tries and the label. The name of the
 * run, with which the key of a call starts, is replaced by a placeholder: a prompt may contain it, and it differs in
 * each run.
 */
export function requestDigest(
  { model: _0, timeout: _1, tryTimeout: _2, retries: _3, fallback: _4, stream: _5, label: _6, ...requestHash }: ModelRequest,
  key = '',
): string {
  // A file counts by its hash.
  const messages = withoutBytes(withCheckedFiles(requestHash).messages)
  const given = Object.entries({ ...requestHash, messages }).filter(([, value]) => value !== undefined)
  const text = canonicalJson(copyJson(JSON.parse(JSON.stringify(Object.fromEntries(given))), 'request'))
  const run = key.slice(0, Math.max(0, key.indexOf(':')))
  return digest(run === '' ? text : text.replaceAll(run, '‹run›')).slice(0, 16)
}

/**
 * Creates models that answer from a recording and send nothing. The recording is the text of a file that `--record` or
 * a person wrote, with one JSON object per line; empty lines and lines that start with `//` are skipped.
 *
 * A line with a digest belongs to the request with that digest, whatever the order; equal requests take equal lines in
 * the order of the lines. A line without a digest belongs to its label. A repeated call with the same key gets the same
 * line again. The used lines are kept in memory: after a crash, another process starts at the first line of each digest
 * and label.
 *
 * Throws `R4021`, with the line number, for a line that cannot be read. `generate` throws `R4020` if no line is left
 * for the request, the recorded fault of a line, and `R4015` for a handwritten line that does not fit the schema, which
 * `check` decides as for `createModels`.
 */
export function recordedModels(text: string, file = 'recording', check?: FindMisfits): Models {
  return new Recording(readEntries(text, file), file, check)
}

function readEntries(text: string, file: string): readonly Entry[] {
  return text
    .replace(/^\ufeff/, '')
    .split('\n')
    .flatMap((line, i) => {
      if (line.trim() === '' || line.trimStart().startsWith('//')) return []
      const place = { file, line: i + 1 }
      const value = parseLine(line, place)
      const entry = entryShape().safeParse(value)
      if (!entry.success) throw lineFault(entry.error, value, place)
      return [{ ...entry.data, line: i + 1 }]
    })
}

interface Place {
  readonly file: string
  readonly line: number
}

/**
 * Parses a line. The message of `JSON.parse` quotes the line, which may contain secrets, so only its column is
 * reported, if it has one.
 */
function parseLine(line: string, place: Place): Json {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (thrown) {
    const [, at] = /at position (\d+)/.exec(thrown instanceof Error ? thrown.message : '') ?? []
    const column = at === undefined ? {} : { column: Number(at) + 1 }
    throw faults.make('R4021', 'the line is not JSON', { ...place, ...column, fix: BY_HAND })
  }
  try {
    return copyJson(value, 'the line')
  } catch {
    throw faults.make('R4021', 'the line is nested too deeply, or too large', { ...place, fix: 'make its reply simpler' })
  }
}

function lineFault({ issues }: z.ZodError, value: unknown, place: Place): Fault {
  if (!isObject(value)) return faults.make('R4021', 'the line is not a JSON object', { ...place, fix: BY_HAND })
  const newer = typeof value['v'] === 'number' && value['v'] > RECORDING_VERSION
  return faults.make('R4021', `the line cannot be read: ${issueText(issues, value, 'the line')}`, {
    ...place,
    fix: newer ? 'update reflex, or record again with --record' : BY_HAND,
  })
}

/** The lines of one key in their order, and the number of used ones. */
interface Queue {
  readonly entries: Entry[]
  usedCount: number
}

class Recording implements Models {
  readonly configured = true
  readonly #file: string
  readonly #check: FindMisfits | undefined
  /** The queues by digest (`#…`) or label. */
  readonly #queues = new Map<string, Queue>()
  /** The number of lines by label, or by digest if there is no label. */
  readonly #counts = new Map<string, number>()
  readonly #entryByCall = new Map<string, Entry>()

  constructor(entries: readonly Entry[], file: string, check: FindMisfits | undefined) {
    this.#file = file
    this.#check = check
    for (const entry of entries) {
      const { label, request } = entry
      const key = request === undefined ? (label ?? '') : `#${request}`
      const queue = this.#queues.get(key)
      if (queue === undefined) this.#queues.set(key, { entries: [entry], usedCount: 0 })
      else queue.entries.push(entry)
      const name = label ?? request ?? ''
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    }
  }

  name(request?: ModelRequest): string {
    return request?.model ?? 'recorded'
  }

  price(): Price {
    return FREE
  }

  unpricedModels(): readonly string[] {
    return []
  }

  async generate(request: ModelRequest, call: ModelCall): Promise<ModelReply> {
    call.signal.throwIfAborted()
    const entry = this.#entryFor(request, call.key)
    if (entry.fault !== undefined) {
      const { code, message, verdict, ...details } = entry.fault
      throw new Fault(code, message, verdict, details)
    }
    const reply = withoutUnofferedCalls(entry.reply ?? {}, request)
    const written = complete({ ...reply, by: reply.by ?? entry.by })
    const whole: ModelReply = {
      ...written,
      model: reply.model ?? this.name(request),
      ...(reply.object === undefined ? {} : { object: reply.object }),
      usage: reply.usage ?? { input: 0, output: 0 },
      ...(reply.cost === undefined ? {} : { cost: reply.cost }),
      ...(reply.estimated === true ? { estimated: true as const } : {}),
      tries: reply.tries ?? 1,
      ...(reply.failures === undefined ? {} : { failures: reply.failures }),
    }
    // A recorded answer is played back unchanged.
    const shortfall = entry.request === undefined ? incompleteFault(whole.model, whole, request) : undefined
    if (shortfall !== undefined) throw shortfall
    this.#checkSchema(whole, request, entry)
    if (request.stream === true) streamReply(written, call)
    return whole
  }

  #entryFor(request: ModelRequest, key: string): Entry {
    const requestHash = requestDigest(request, key)
    const place = key === '' ? undefined : `${key} ${requestHash}`
    const known = place === undefined ? undefined : this.#entryByCall.get(place)
    if (known !== undefined) return known
    const entry = this.#nextEntry(`#${requestHash}`) ?? (request.label === undefined ? undefined : this.#nextEntry(request.label))
    if (entry === undefined) throw this.#noReplyFault(request, requestHash)
    if (place !== undefined) this.#entryByCall.set(place, entry)
    return entry
  }

  #nextEntry(key: string): Entry | undefined {
    const queue = this.#queues.get(key)
    return queue?.entries[queue.usedCount++]
  }

  /** Checks a handwritten reply against the schema, as a model's reply is checked. */
  #checkSchema(reply: ModelReply, { output, label }: ModelRequest, { line }: Entry): void {
    if (output === undefined || reply.calls !== undefined) return
    const { object } = reply
    const { problem } = schemaCheck(output.schema, { schemaOwner: 'the answer', check: this.#check })(object)
    if (problem === undefined) return
    const account = new Account()
    account.addReply(reply)
    throw faults.make('R4015', `the recorded reply for ${label ?? 'the request'} does not fit its schema: ${problem}`, {
      file: this.#file,
      line,
      fix: object === undefined ? 'write the answer under "object"' : 'correct the line, or record again with --record',
      data: account.facts,
    })
  }

  #noReplyFault({ label, messages }: ModelRequest, requestHash: string): Fault {
    const last = messages.flatMap((message) => (message.role === 'user' ? [message.content] : [])).at(-1) ?? ''
    const what = `${label ?? 'a request without a label'} (${requestHash}, ${JSON.stringify(last.length > 80 ? `${last.slice(0, 80)}…` : last)})`
    const counts = [...this.#counts].slice(0, 12).map(([name, count]) => (count === 1 ? name : `${name} ${count} times`))
    const used =
      label !== undefined && this.#counts.has(label)
        ? 'its lines are used up, or were recorded for another prompt'
        : 'the file has no line for it'
    const message = `${this.#file} has no reply left for ${what}: ${used}. It has ${counts.join(', ') || 'nothing'}`
    if (label === undefined) return faults.make('R4020', message, { fix: 'record again with --record' })
    const line = `{"label": ${JSON.stringify(label)}, "reply": {…}, "by": "hand"}`
    return faults.make('R4020', message, { fix: `record again with --record, or write a line ${line}` })
  }
}

/** Returns a reply without calls of tools that were not offered: they are not an answer. */
function withoutUnofferedCalls(reply: PartialReply, request: ModelRequest): PartialReply {
  const { calls, finish } = reply
  if (calls === undefined || request.output === undefined || (calls.length > 0 && hasOfferedTools(request))) return reply
  return { ...reply, calls: undefined, native: undefined, finish: finish === 'tools' ? 'other' : finish }
}
