import { isFault } from '../../../../kernel/journal/fault.ts'
import { isList, isObject, type Json } from '../../../../kernel/journal/json.ts'
import { type FilePart, filePartOf } from '../../../../models/index.ts'
import { listOf, textOf } from '../../dot/graph.ts'
import { storeValue, performAll } from '../../contract/asks.ts'
import type { StoredFile } from '../../contract/conversation.ts'
import type { Answer, Ask, NodeContext } from '../../contract/handler.ts'
import { resolvePath } from '../commands/requirements.ts'

/** Bytes of one file, as for every message of a model. */
const MOST = 16_000_000
/** Files of one node: a request has room for about so many pictures. */
const MOST_FILES = 20

/** The files of a message, or why it cannot have them. */
type AttachmentsResult = readonly StoredFile[] | { readonly problem: string }

/**
 * The files that a node shows its model: those of its `attachments`, then those of `attachments_context_key`. Each path is read by
 * the tool `file.read`, with its permission and its label, and the content is recorded once, as the result of that call. What the
 * request has of a file is its media type, size and hash, and the key under which the content is kept.
 */
export function* readAttachments(nodeContext: NodeContext): Generator<Ask, AttachmentsResult, Answer> {
  const { attributes, node } = nodeContext
  const key = textOf(attributes, 'attachments_context_key')?.trim() ?? ''
  const found = key === '' ? undefined : nodeContext.get(key)
  if (key !== '' && (found === undefined || found === null))
    return { problem: `${node.id}: the context has no ${key}, which attachments_context_key names` }
  const sources: readonly Json[] = [...listOf(attributes, 'attachments'), ...(isList(found) ? found : found === undefined ? [] : [found])]
  if (sources.length > MOST_FILES)
    return { problem: `${node.id}: at most ${MOST_FILES} files can be attached, and there are ${sources.length}` }
  const paths = sources.flatMap((one) => (isPath(one) ? [one] : []))
  const read = yield* performAll(
    paths.map((path) => ({
      effect: 'tool',
      args: { tool: 'file.read', args: { path: resolvePath(nodeContext, path), limit: MOST, as: 'base64' } },
    })),
  )
  const files: StoredFile[] = []
  for (const one of sources) {
    const settled = isPath(one) ? read[paths.indexOf(one)] : undefined
    if (settled?.error !== undefined) return { problem: `${node.id}: ${settled.error.message}` }
    const stored = storedFile(node.id, settled === undefined ? one : settled.ok)
    if ('problem' in stored) return stored
    files.push({ ...stored, at: settled?.at ?? (yield* storeValue(one)) })
  }
  return files
}

/** A text is a path, unless it is a `data:` URL. */
function isPath(value: Json): value is string {
  return typeof value === 'string' && !value.startsWith('data:')
}

function storedFile(node: string, value: Json): Omit<FilePart, 'data'> | { readonly problem: string } {
  try {
    const part = filePartOf(value)
    if (part === undefined)
      return {
        problem: `${node}: an attachment is a path, a data: URL, or an object with "data" in base64; there is ${isObject(value) ? 'an object without it' : typeof value}`,
      }
    const { data: _data, ...facts } = part
    return facts
  } catch (thrown) {
    if (isFault(thrown)) return { problem: `${node}: ${thrown.code} ${thrown.message}` }
    throw thrown
  }
}
