/** The simulated service of a support desk: orders, parcels, refunds, tickets and their notes. It keeps its state, and refuses what breaks a rule. */

export interface Order {
  readonly order_id: string
  readonly customer_id: string
  readonly parcel_id: string
  readonly sku: string
  readonly total: number
  refund_id?: string
  exchange_id?: string
  address: string
}

export interface Parcel {
  readonly parcel_id: string
  readonly carrier: string
  readonly parcel_state: 'moving' | 'held' | 'late'
  /** What the carrier says of it. */
  readonly carrier_says: 'moving' | 'held' | 'lost'
  readonly place: string
  readonly eta: string
  redelivery_id?: string
  day?: string
}

export interface Ticket {
  readonly ticket_id: string
  outcome?: string
  readonly notes: Map<string, string>
  readonly tags: Set<string>
  readonly links: Set<string>
  isSurveyed: boolean
}

/** Everything that belongs to one customer of the desk. */
export interface Case {
  readonly customer: { readonly customer_id: string; readonly customer_name: string; readonly tier: string }
  readonly order: Order
  readonly parcel: Parcel
  readonly ticket: Ticket
  readonly pieces: number
  readonly letters: string[]
}

/** The service refuses a call; nothing has changed. */
export class Refused extends Error {}

type Args = Readonly<Record<string, string | number>>
type Result = Record<string, string | number>

const ARTICLES: Readonly<Record<string, string>> = {
  returns: 'You can send everything back within thirty days.',
  guarantee: 'The guarantee covers two years.',
  hours: 'The shop is open from nine to six.',
}

export class Desk {
  readonly #cases = new Map<string, Case>()

  /** Opens the books of a case. Its number is part of all its ids. */
  open(number: string, one: Case): void {
    this.#cases.set(number, one)
  }

  /** The state of a case as plain data, with equal texts for equal states. */
  stateOf(number: string): string {
    const { order, parcel, ticket, letters } = this.#case(number)
    const { notes, tags, links, ...rest } = ticket
    return JSON.stringify([
      order,
      parcel,
      { ...rest, notes: [...notes.values()].sort(), tags: [...tags].sort(), links: [...links].sort() },
      letters,
    ])
  }

  /** The rules of the service that a case breaks; always none. */
  broken(number: string): readonly string[] {
    const { order, ticket } = this.#case(number)
    return [
      ...(order.refund_id !== undefined && order.exchange_id !== undefined ? [`${order.order_id} is refunded and exchanged`] : []),
      ...(ticket.outcome === 'refunded' && order.refund_id === undefined
        ? [`${ticket.ticket_id} is closed as refunded without a refund`]
        : []),
      ...(ticket.outcome === 'exchanged' && order.exchange_id === undefined
        ? [`${ticket.ticket_id} is closed as exchanged without one`]
        : []),
    ]
  }

  /** Carries out a call. Throws `Refused`. */
  call(tool: string, args: Args): Result {
    const act = Object.hasOwn(this.#acts, tool) ? this.#acts[tool] : undefined
    if (act === undefined) throw new Refused(`there is no tool ${tool}`)
    return act(args)
  }

  readonly #acts: Readonly<Record<string, (args: Args) => Result>> = {
    'customers.get': ({ customer_id }) => ({ ...this.#of('customer', customer_id).customer }),
    'orders.get': ({ order_id }) => {
      const { customer_id, parcel_id, sku, total } = this.#of('order', order_id).order
      return { customer_id, parcel_id, sku, total }
    },
    'parcels.track': ({ parcel_id }) => {
      const { carrier, parcel_state } = this.#of('parcel', parcel_id).parcel
      return { carrier, parcel_state }
    },
    'carriers.ask': ({ parcel_id, carrier }) => {
      const { parcel } = this.#of('parcel', parcel_id)
      if (parcel.carrier !== carrier) throw new Refused(`${carrier} does not know ${parcel_id}`)
      return { carrier_says: parcel.carrier_says, place: parcel.place, eta: parcel.eta }
    },
    'stock.check': ({ sku }) => ({ pieces: this.#of('sku', sku).pieces }),
    'invoices.get': ({ order_id }) => {
      const { order } = this.#of('order', order_id)
      return { invoice_id: order.order_id.replace('A', 'INV'), invoice_total: order.total }
    },
    'kb.search': ({ topic }) => {
      const text = ARTICLES[String(topic)]
      if (text === undefined) throw new Refused(`there is no article about ${topic}`)
      return { article: text }
    },
    'refunds.create': ({ order_id, amount }) => {
      const { order } = this.#of('order', order_id)
      if (order.refund_id !== undefined) throw new Refused(`${order_id} is already refunded`)
      if (amount !== order.total) throw new Refused(`${amount} is not the total of ${order_id}`)
      return { refund_id: (order.refund_id = `RF-${order_id}`) }
    },
    'refunds.cancel': ({ refund_id }) => {
      const { order } = this.#of('order', String(refund_id).replace('RF-', ''))
      delete order.refund_id
      return { cancelled: refund_id ?? '' }
    },
    'exchanges.create': ({ order_id, sku }) => {
      const { order, pieces } = this.#of('order', order_id)
      if (order.exchange_id !== undefined) throw new Refused(`${order_id} is already exchanged`)
      if (order.sku !== sku || pieces === 0) throw new Refused(`${sku} cannot be sent`)
      return { exchange_id: (order.exchange_id = `EX-${order_id}`) }
    },
    'exchanges.cancel': ({ exchange_id }) => {
      const { order } = this.#of('order', String(exchange_id).replace('EX-', ''))
      delete order.exchange_id
      return { cancelled: exchange_id ?? '' }
    },
    'parcels.redeliver': ({ parcel_id, day }) => {
      const { parcel } = this.#of('parcel', parcel_id)
      if (parcel.parcel_state !== 'held') throw new Refused(`${parcel_id} is not held`)
      if (parcel.redelivery_id !== undefined) throw new Refused(`${parcel_id} is already planned`)
      parcel.day = String(day)
      return { redelivery_id: (parcel.redelivery_id = `RD-${parcel_id}`) }
    },
    'parcels.hold': ({ redelivery_id }) => {
      const { parcel } = this.#of('parcel', String(redelivery_id).replace('RD-', ''))
      delete parcel.redelivery_id
      delete parcel.day
      return { cancelled: redelivery_id ?? '' }
    },
    'orders.readdress': ({ order_id, address }) => {
      this.#of('order', order_id).order.address = String(address)
      return { label_id: `LB-${order_id}` }
    },
    'tickets.note': ({ ticket_id, text }) => {
      const { notes } = this.#of('ticket', ticket_id).ticket
      const known = [...notes].find(([, other]) => other === text)
      if (known !== undefined) throw new Refused(`${ticket_id} has this note already`)
      const note_id = `N-${ticket_id}-${notes.size + 1}`
      notes.set(note_id, String(text))
      return { note_id }
    },
    'tickets.unnote': ({ note_id }) => {
      const { notes } = this.#of('ticket', String(note_id).split('-').slice(1, 3).join('-')).ticket
      notes.delete(String(note_id))
      return { removed: note_id ?? '' }
    },
    'tickets.close': ({ ticket_id, outcome }) => {
      const { ticket } = this.#of('ticket', ticket_id)
      if (ticket.outcome !== undefined) throw new Refused(`${ticket_id} is already closed`)
      ticket.outcome = String(outcome)
      return { closed: ticket_id ?? '' }
    },
    'tickets.reopen': ({ ticket_id }) => {
      delete this.#of('ticket', ticket_id).ticket.outcome
      return { opened: ticket_id ?? '' }
    },
    'tickets.tag': ({ ticket_id, tag }) => {
      this.#of('ticket', ticket_id).ticket.tags.add(String(tag))
      return { tagged: ticket_id ?? '' }
    },
    'tickets.link': ({ ticket_id, other_id }) => {
      this.#of('ticket', ticket_id).ticket.links.add(String(other_id))
      return { linked: ticket_id ?? '' }
    },
    'surveys.plan': ({ ticket_id }) => {
      this.#of('ticket', ticket_id).ticket.isSurveyed = true
      return { survey_id: `SV-${ticket_id}` }
    },
    'letters.send': ({ customer_id, text }) => {
      const { letters } = this.#of('customer', customer_id)
      if (letters.includes(String(text))) throw new Refused('this letter is already sent')
      letters.push(String(text))
      return { letter_id: `LT-${customer_id}` }
    },
  }

  #case(number: string): Case {
    const found = this.#cases.get(number)
    if (found === undefined) throw new Refused(`there is no case ${number}`)
    return found
  }

  #of(noun: 'customer' | 'order' | 'parcel' | 'sku' | 'ticket', id: string | number | undefined): Case {
    const [prefix, number = ''] = String(id).split('-')
    const found = this.#cases.get(number)
    if (found === undefined || prefix !== PREFIXES[noun]) throw new Refused(`there is no ${noun} ${id}`)
    return found
  }
}

/** The first letters of ids. */
const PREFIXES = { customer: 'C', order: 'A', parcel: 'P', sku: 'S', ticket: 'T' } as const
