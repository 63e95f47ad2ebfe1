/** What a competent agent does for each sort of request: which calls, with what arguments, and what it answers. */

/** A value of a call: a text as it is, or `$name` for a fact. */
export type Arguments = Readonly<Record<string, string>>

export interface Step {
  readonly tool: string
  readonly args: Arguments
  /** The fact, and the value of it with which the step is right. */
  readonly when?: readonly [fact: string, value: string]
}

export interface Procedure {
  /** `frequent`: done often, in several calls. The others are those for which skills are not made. */
  readonly sort: 'frequent' | 'exception' | 'one call' | 'generative' | 'novel'
  /** The wordings of users. `{order}` and others stand for ids. The last two are used by nobody whose runs are learned from. */
  readonly wordings: readonly string[]
  readonly steps: readonly Step[]
  /** The first answer whose condition holds. `$name` is a fact. */
  readonly answers: readonly { readonly text: string; readonly when?: Step['when'] }[]
}

const ORDER: Step = { tool: 'orders.get', args: { order_id: '$order_id' } }
const PARCEL: Step = { tool: 'parcels.track', args: { parcel_id: '$parcel_id' } }
const CARRIER: Step = { tool: 'carriers.ask', args: { carrier: '$carrier', parcel_id: '$parcel_id' } }
const STOCK: Step = { tool: 'stock.check', args: { sku: '$sku' } }
const CUSTOMER: Step = { tool: 'customers.get', args: { customer_id: '$customer_id' } }
const INVOICE: Step = { tool: 'invoices.get', args: { order_id: '$order_id' } }
const close = (outcome: string, when?: Step['when']): Step => ({
  tool: 'tickets.close',
  args: { ticket_id: '$ticket_id', outcome },
  ...(when === undefined ? {} : { when }),
})

const LOST = ['carrier_says', 'lost'] as const
const HELD = ['parcel_state', 'held'] as const
const IN_STOCK = ['in_stock', 'yes'] as const

const REFUND: Procedure = {
  sort: 'frequent',
  wordings: [
    '{ticket}: the parcel of order {order} is lost, please refund it.',
    'Refund order {order} under {ticket}, the parcel is lost.',
    'My parcel is lost. I want a refund for {order}, my ticket is {ticket}.',
    'Lost parcel, order {order}, ticket {ticket}: give me a refund.',
    'The parcel for {order} never came, it must be lost. {ticket} asks for a refund.',
    'Nobody has seen my parcel {order} and I want my money back ({ticket}).',
  ],
  steps: [
    ORDER,
    PARCEL,
    CARRIER,
    { tool: 'refunds.create', args: { order_id: '$order_id', amount: '$total' }, when: LOST },
    close('refunded', LOST),
  ],
  answers: [
    { text: 'The money for $order_id is on its way back to you.', when: LOST },
    { text: 'The parcel of $order_id is not lost: it is in $place and arrives on $eta.' },
  ],
}

const EXCHANGE: Procedure = {
  sort: 'frequent',
  wordings: [
    'The lamp of order {order} is broken, please exchange it ({ticket}).',
    '{ticket}: exchange {order}, it arrived broken.',
    'Can you exchange my broken article? Order {order}, ticket {ticket}.',
    'Broken on arrival: I would like to exchange order {order}, see {ticket}.',
    'Please send an exchange for the broken {order}, ticket {ticket}.',
    'What came with {order} is damaged, send me a new one ({ticket}).',
  ],
  steps: [
    ORDER,
    STOCK,
    { tool: 'exchanges.create', args: { order_id: '$order_id', sku: '$sku' }, when: IN_STOCK },
    { tool: 'tickets.note', args: { ticket_id: '$ticket_id', text: 'exchange agreed' }, when: IN_STOCK },
    close('exchanged', IN_STOCK),
  ],
  answers: [
    { text: 'A new article for $order_id leaves today.', when: IN_STOCK },
    { text: 'There is no other piece for $order_id at the moment.' },
  ],
}

const REDELIVERY: Procedure = {
  sort: 'frequent',
  wordings: [
    'Please deliver order {order} again on {day}, ticket {ticket}.',
    '{ticket}: nobody was at home, deliver {order} again on {day}.',
    'Could you deliver {order} again? {day} would be good. My ticket: {ticket}.',
    'I missed the driver. Deliver order {order} again on {day} ({ticket}).',
    'A second try for {order} on {day}, please. Ticket {ticket}.',
    'Bring order {order} once more, on {day} ({ticket}).',
  ],
  steps: [
    ORDER,
    PARCEL,
    { tool: 'parcels.redeliver', args: { parcel_id: '$parcel_id', day: '$day' }, when: HELD },
    close('redelivery', HELD),
  ],
  answers: [{ text: 'We deliver $order_id again on $day.', when: HELD }, { text: 'The parcel of $order_id is still on its way.' }],
}

/** The sorts of requests, by their names. */
export const PROCEDURES: Readonly<Record<string, Procedure>> = {
  'refund of a lost parcel': REFUND,
  'exchange of a broken article': EXCHANGE,
  'second delivery': REDELIVERY,
  'where is my parcel': {
    sort: 'frequent',
    wordings: [
      'Where is the parcel of order {order}?',
      'Where is my parcel? The order is {order}.',
      'Tell me where the parcel for {order} is.',
      'Order {order}: where is it, and when will the parcel come?',
      'When does {order} reach me?',
      'I still wait for {order}, what is going on?',
    ],
    steps: [ORDER, PARCEL, CARRIER],
    answers: [{ text: 'Your parcel is in $place and arrives on $eta.' }],
  },
  'copy of an invoice': {
    sort: 'frequent',
    wordings: [
      'I need a copy of the invoice for order {order}.',
      'Copy of the invoice of {order}, please.',
      'Please give me an invoice copy for {order}.',
      'Which invoice belongs to {order}? I need a copy.',
      'My accountant asks for the paper for {order}.',
      'The bill of {order} is gone, once more please.',
    ],
    steps: [ORDER, CUSTOMER, INVOICE],
    answers: [{ text: 'It is $invoice_id over $invoice_total.' }],
  },
  'refund, parcel not lost': { ...REFUND, sort: 'exception' },
  'exchange, none in stock': { ...EXCHANGE, sort: 'exception' },
  'price of an order': {
    sort: 'one call',
    wordings: ['What did order {order} cost?', 'How much was {order}?', 'Tell me the price of {order}.', 'Say what I paid for {order}.'],
    steps: [ORDER],
    answers: [{ text: 'It was $total.' }],
  },
  'question about the rules': {
    sort: 'one call',
    wordings: [
      'How long can I return things?',
      'Until when can I return {order}?',
      'What are the rules to return {order}?',
      'May I still return {order}?',
    ],
    steps: [{ tool: 'kb.search', args: { topic: 'returns' } }],
    answers: [{ text: '$article' }],
  },
  'letter of apology': {
    sort: 'generative',
    wordings: [
      'Write an apology to customer {customer} about {order}.',
      'Customer {customer} is angry about {order}, write a kind letter.',
      'An apology for {customer}, please, because of {order}.',
      'Find warm words for {customer} after the trouble with {order}.',
    ],
    steps: [CUSTOMER, ORDER, { tool: 'letters.send', args: { customer_id: '$customer_id', text: '$letter' } }],
    answers: [{ text: 'The letter is sent.' }],
  },
  'summary in the ticket': {
    sort: 'generative',
    wordings: [
      'Summarise the state of order {order} in ticket {ticket}.',
      'Put a summary of {order} into {ticket}.',
      'Ticket {ticket} needs a summary of order {order}.',
      'Leave a few lines about {order} in {ticket}.',
    ],
    steps: [ORDER, PARCEL, { tool: 'tickets.note', args: { ticket_id: '$ticket_id', text: '$letter' } }],
    answers: [{ text: 'The summary is in $ticket_id.' }],
  },
  'change of address': {
    sort: 'novel',
    wordings: ['Send order {order} of {customer} to {address} instead, and note it in {ticket}.'],
    steps: [
      CUSTOMER,
      ORDER,
      { tool: 'orders.readdress', args: { order_id: '$order_id', address: '$address' } },
      { tool: 'tickets.note', args: { ticket_id: '$ticket_id', text: 'new address' } },
    ],
    answers: [{ text: 'Order $order_id goes to $address.' }],
  },
  'same request twice': {
    sort: 'novel',
    wordings: ['{ticket} is the same as {other}: link them and close the first.'],
    steps: [{ tool: 'tickets.link', args: { ticket_id: '$ticket_id', other_id: '$other_id' } }, close('duplicate')],
    answers: [{ text: '$ticket_id is closed.' }],
  },
}

/** What people ask besides, before or after their request: each is one more call. */
export const BESIDES: readonly {
  readonly place: 'before' | 'after'
  readonly wording: string
  readonly step: Step
  readonly answer: string
}[] = [
  { place: 'before', wording: 'I am customer {customer}, check my account first.', step: CUSTOMER, answer: 'Hello $customer_name.' },
  {
    place: 'before',
    wording: 'First tell me about the guarantee.',
    step: { tool: 'kb.search', args: { topic: 'guarantee' } },
    answer: '$article',
  },
  { place: 'before', wording: 'And when are you open?', step: { tool: 'kb.search', args: { topic: 'hours' } }, answer: '$article' },
  {
    place: 'before',
    wording: 'Mark {ticket} as urgent at once.',
    step: { tool: 'tickets.tag', args: { ticket_id: '$ticket_id', tag: 'urgent' } },
    answer: 'It is marked as urgent.',
  },
  {
    place: 'after',
    wording: 'Afterwards ask me how it went, by {ticket}.',
    step: { tool: 'surveys.plan', args: { ticket_id: '$ticket_id' } },
    answer: 'We will ask you.',
  },
  {
    place: 'after',
    wording: 'Then tag {ticket} for the evening shift.',
    step: { tool: 'tickets.tag', args: { ticket_id: '$ticket_id', tag: 'evening' } },
    answer: 'The evening shift sees it.',
  },
  { place: 'after', wording: 'At the end also check customer {customer}.', step: CUSTOMER, answer: 'Thank you, $customer_name.' },
]

/** The tool that finds a fact. */
export const FOUND_BY: Readonly<Record<string, Step>> = {
  total: ORDER,
  parcel_id: ORDER,
  sku: ORDER,
  customer_id: ORDER,
  carrier: PARCEL,
  parcel_state: PARCEL,
  carrier_says: CARRIER,
  place: CARRIER,
  eta: CARRIER,
  pieces: STOCK,
  in_stock: STOCK,
  customer_name: CUSTOMER,
  invoice_id: INVOICE,
  invoice_total: INVOICE,
}
