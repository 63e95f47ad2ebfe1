import { Buffer } from 'node:buffer'

/** The smallest PNG: one pixel. */
export const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

/** A PNG with some number of bytes, valid only in its header. */
export function pngOf(bytes: number): Buffer {
  return Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length, 7)])
}

export const PDF = Buffer.from('%PDF-1.4\n%%EOF\n')
