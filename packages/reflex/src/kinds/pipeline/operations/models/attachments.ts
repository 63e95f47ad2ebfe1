import { isFault, isList, isObject, type Json } from '../../../../kernel/index.ts'
import { type FilePart, filePartOf } from '../../../../models/index.ts'
import { listOf, textOf } from '../../dot/graph.ts'
import { storeValue, performAll } from '../../contract/asks.ts'
import type { StoredFile } from '../../contract/conversation.ts'
import type { Answer, Ask, NodeContext } from '../../contract/handler.ts'
import { resolvePath } from '../commands/requirements.ts'

/** The limit of one file in bytes, as for every message of a model. */
const MOST = 16_000_000
/** The limit of files of one node, about the number of pictures that fit into a request. */
const MOST_FILES = 20

/** The files of a message, or the reason why they cannot be attached. */
type AttachmentsResult = readonly StoredFile[] | { readonly problem: string }

/**
 * Reads the files that a node attaches: those of `attachments`, then those of `attachments_context_key`. The tool `file.read`
 * reads each path, with its permission and its label, and the content is recorded once, as the result of that call. The request
 * has only the media type, size and hash of a file, and the key of the stored content.
 */
export function* readAttachments(nodeContext: NodeContext): Generator<Ask, AttachmentsResult, Answer> {
  const { attributes, node } = nodeContext
  const key = textOf(attributes, 'attachments_context_key')?.trim() ?? ''
  const found = key === '' ? undefined : nodeContext.get(key)
  if (key !== '' && (found === undefined || found === null))
    return { problem: `${node.id}: attachments_context_key names ${key}, but the context has no such key` }
  const sources: readonly Json[] = [...listOf(attributes, 'attachments'), ...(isList(found) ? found : found === undefined ? [] : [found])]
  if (sources.length > MOST_FILES) return { problem: `${node.id}: ${sources.length} files are attached; at most ${MOST_FILES} are allowed` }
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

/** True for a path: a text that is not a `data:` URL. */
function isPath(value: Json): value is string {
  return typeof value === 'string' && !value.startsWith('data:')
}

function storedFile(node: string, value: Json): Omit<FilePart, 'data'> | { readonly problem: string } {
  try {
    const part = filePartOf(value)
    if (part === undefined)
      return {
        problem: `${node}: an attachment must be a path, a data: URL, or an object with "data" in base64, not ${isObject(value) ? 'an object without "data"' : typeof value}`,
      }
    const { data: _data, ...facts } = part
    return facts
  } catch (thrown) {
    if (isFault(thrown)) return { problem: `${node}: ${thrown.code} ${thrown.message}` }
    throw thrown
  }
}
