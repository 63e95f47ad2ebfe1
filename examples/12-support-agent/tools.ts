/** The tools of the support desk, declared once: the agent calls them, and the command reads what they change and how that is undone. */
import { defineTool, type Tool } from 'reflex-runtime/tools'

/** Performs a call of a tool. */
export type Perform = (tool: string, args: Readonly<Record<string, string | number>>) => Promise<Record<string, string | number>>

interface Declared {
  readonly args: readonly string[]
  readonly undo?: { readonly tool: string; readonly args: Readonly<Record<string, string>> }
}

const READS: Readonly<Record<string, readonly string[]>> = {
  'customers.get': ['customer_id'],
  'orders.get': ['order_id'],
  'parcels.track': ['parcel_id'],
  'carriers.ask': ['carrier', 'parcel_id'],
  'stock.check': ['sku'],
  'invoices.get': ['order_id'],
  'kb.search': ['topic'],
}

const CHANGES: Readonly<Record<string, Declared>> = {
  'refunds.create': { args: ['order_id', 'amount'], undo: { tool: 'refunds.cancel', args: { refund_id: '{{result.refund_id}}' } } },
  'refunds.cancel': { args: ['refund_id'] },
  'exchanges.create': { args: ['order_id', 'sku'], undo: { tool: 'exchanges.cancel', args: { exchange_id: '{{result.exchange_id}}' } } },
  'exchanges.cancel': { args: ['exchange_id'] },
  'parcels.redeliver': { args: ['parcel_id', 'day'], undo: { tool: 'parcels.hold', args: { redelivery_id: '{{result.redelivery_id}}' } } },
  'parcels.hold': { args: ['redelivery_id'] },
  'orders.readdress': { args: ['order_id', 'address'] },
  'tickets.note': { args: ['ticket_id', 'text'], undo: { tool: 'tickets.unnote', args: { note_id: '{{result.note_id}}' } } },
  'tickets.unnote': { args: ['note_id'] },
  'tickets.close': { args: ['ticket_id', 'outcome'], undo: { tool: 'tickets.reopen', args: { ticket_id: '{{args.ticket_id}}' } } },
  'tickets.reopen': { args: ['ticket_id'] },
  'tickets.tag': { args: ['ticket_id', 'tag'] },
  'tickets.link': { args: ['ticket_id', 'other_id'] },
  'surveys.plan': { args: ['ticket_id'] },
  'letters.send': { args: ['customer_id', 'text'] },
}

/** Returns the tools, whose calls are performed by a function. */
export function supportTools(perform: Perform): readonly Tool[] {
  const run =
    (name: string) =>
    (args: unknown): Promise<Record<string, string | number>> =>
      perform(name, args as Readonly<Record<string, string | number>>)
  return [
    ...Object.keys(READS).map((name) => defineTool({ name, description: `Reads ${name}`, leaves: false, repeat: 'free', run: run(name) })),
    ...Object.entries(CHANGES).map(([name, { undo }]) =>
      defineTool({ name, description: `Changes by ${name}`, leaves: true, repeat: 'keyed', undo, run: run(name) }),
    ),
  ]
}

/** The tools as a model reads them. */
export const SCHEMAS = [...Object.entries(READS), ...Object.entries(CHANGES).map(([name, { args }]) => [name, args] as const)].map(
  ([name, args]) => ({
    type: 'function',
    function: { name, parameters: { type: 'object', properties: Object.fromEntries(args.map((arg) => [arg, { type: 'string' }])) } },
  }),
)

/** The same for the command, which tests skills against recorded results and calls none of them. */
export const tools = supportTools((name) => Promise.reject(new Error(`${name} is only declared here`)))
