import type { InertPlace } from './markdown-lines.ts'
import type { BlockTag } from './tags.ts'

/** A block as the scanner meets it. `raw` is its text, of which an oversized or unclosed block keeps the beginning alone. */
export interface ScannedBlock {
  readonly tag: BlockTag
  readonly body: string
  readonly raw: string
  /** The mistake of its frame, before its body is read. */
  readonly mistake?: 'nested' | 'unclosed' | 'oversized' | 'trailing'
}

/** Receives what the scanner finds, in the order of the text. */
export interface ScanListener {
  readonly text: (text: string) => void
  readonly block: (block: ScannedBlock) => void
  /** An opening tag at the start of a line where it does not count; in a fence, after its closing tag. */
  readonly inert: (tag: BlockTag, place: InertPlace) => void
}
