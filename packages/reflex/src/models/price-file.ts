import { z } from 'zod'
import { once } from '../text/index.ts'
import { faults } from './faults.ts'
import { HIGHEST_PRICE } from './prices.ts'
import type { Prices } from './types.ts'

/** The user's prices and their date. */
export interface PriceFile {
  /** The date of the prices, such as `2026-02-01`. */
  readonly date: string
  readonly prices: Prices
}

const shape = once(() => {
  const usd = z.number().nonnegative().max(HIGHEST_PRICE)
  return z.strictObject({
    date: z.iso.date(),
    prices: z.record(
      z.string().min(1),
      z.strictObject({ input: usd, output: usd, cached: usd.optional(), cacheWrite: usd.optional(), reasoning: usd.optional() }),
    ),
  })
})

/** Reads the text of a price file. Throws `R4022` for a file that cannot be read. */
export function readPrices(text: string, file: string): PriceFile {
  const fix = 'write {"date": "2026-02-01", "prices": {"openai:gpt-5-mini": {"input": 0.25, "output": 2}}}'
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    throw faults.make('R4022', `${file} is not JSON`, { file, fix })
  }
  const read = shape().safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw faults.make('R4022', `${file}: ${issue?.path.map(String).join('.') || 'the file'}: ${issue?.message ?? 'it cannot be read'}`, {
    file,
    fix,
  })
}
