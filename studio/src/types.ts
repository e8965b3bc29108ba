// types.ts: what the server's answers look like: docs/json.md and docs/studio-api.md, as types.

/** A value in DynamoDB JSON: {"S": "x"}. */
export type AttributeValue =
  | { S: string } | { N: string } | { B: string } | { BOOL: boolean } | { NULL: true }
  | { SS: string[] } | { NS: string[] } | { BS: string[] } | { L: AttributeValue[] } | { M: Item }
export type Item = { [name: string]: AttributeValue }
export type Plain = null | boolean | number | string | Plain[] | { [name: string]: Plain }

export interface Place { line: number; column: number }
export interface Problem extends Place { file: string; message: string; hint: string }
export interface Finding extends Problem { rule: string; on: string }

/** The model's text as a tree: a scalar, a map or a list. */
export interface TreeNode extends Place {
  text?: string
  quoted?: boolean
  members?: TreeMember[]
  list?: TreeNode[]
}
export interface TreeMember extends Place { name: string; value: TreeNode }

export interface KeyPart { attribute: string; template: string; natural: boolean; shards?: Plain }
export interface Key { hash: KeyPart[]; sort: KeyPart[] }
export interface IndexEntry extends Key { index: string }
export interface Copy extends Key { name?: string; only?: string[]; sparse: boolean; index: IndexEntry[] }
export interface Attribute {
  name: string; type: string; required?: boolean; readOnly?: boolean; hidden?: boolean; automatic?: boolean
  enum?: Plain[]; default?: Plain; generate?: string; format?: string; about?: string; min?: number; max?: number
  [more: string]: unknown
}
export interface Entity extends Place {
  name: string; about?: string; key: Key; index: IndexEntry[]; copies: Copy[]; unique: Plain[]; attributes: Attribute[]
  schema?: number; lock?: string; open: boolean; expect?: { items?: number; bytes?: number }
}
export interface ModelIndex extends Place {
  name: string; local: boolean; project: 'all' | 'keys' | 'include'; include?: string[]
  hash: { name: string; type: string }[]; sort: { name: string; type: string }[]
}
export interface Plan {
  pattern: string; about?: string; entities: string[]; collection: boolean; inputs: { name: string; type: string }[]
  operation: string; index?: string | null; at?: string; keyCondition?: string; streams?: number | null
  descending?: boolean; filter?: string; fans?: { over: string; shards: boolean; count: number }[]
  neighbours?: Plain[]; notes?: string[]; reason?: string; order?: string; limit?: number; proposals?: Proposal[]
  items?: number | null; bytes?: number | null; readUnits?: number | null; from?: 'sample' | 'expect' | null
}
export interface Proposal {
  kind: string; text: string; yaml: string; writes: string; storage: string; backfill: string
  operation: string; index: string | null; keyCondition: string
}
export interface Pattern extends Place {
  name: string; about?: string; entities: string[]; collection: boolean; limit?: number
  inputs: { name: string; attribute?: string; type?: string }[]
  plan: Plan
  measure?: { items: number; results: number; bytes: number; readUnits: number; fromSample: boolean }
}
export interface SampleItem { entity: string; copy: boolean; bytes: number; item: { [name: string]: Plain } }
/** Which entity belongs to which, told from the attributes it is known by. */
export interface Relation { from: string; to: string; kind: 'one-to-many' | 'many-to-many'; through?: string; by: string[] }
export interface ModelDocument {
  table: string; about?: string; delimiter: string; entityAttribute?: string
  keys: { hash: { name: string; type: string }[]; sort: { name: string; type: string }[] }
  indexes: ModelIndex[]; entities: Entity[]; patterns: Pattern[]; relations: Relation[]; sample: SampleItem[]
}
export interface Description {
  problems: Problem[]
  tree: TreeNode | null
  /** The sample rows of the document were made up: the model names no data. */
  invented?: boolean
  model: ModelDocument | null
  lint: { findings: Finding[]; silenced: number } | null
}

export interface StudioInfo {
  Version: string
  Data: string
  Models: { Name: string; Table?: string; Error?: string }[]
  Patterns: { name: string; about: string; files: string[] }[]
}
export interface ModelText { Name: string; Text: string; Version?: string; Versions?: { [name: string]: string }; Files: { [name: string]: string } }
export interface RequestLine { operation: string; request: Record<string, unknown> }
export interface RunResult {
  Result: { [entity: string]: unknown } & {
    read?: { items: number; requests: number; units: number; reckoned?: boolean }
    after?: string
    estimate?: { items: number; bytes: number; units: number }
  }
  Requests: RequestLine[]
}
export interface BrowseItem {
  entity: string | null; copy: boolean; key: { [name: string]: Plain }
  indexes: { [index: string]: { [name: string]: Plain } }; attributes: { [name: string]: Plain }; size: number
}
export interface BrowsePage { table: string; drawers: { key: { [name: string]: Plain }; items: BrowseItem[] }[]; after?: string }
export interface TableDescription {
  TableName: string; TableStatus: string; ItemCount: number; TableSizeBytes: number
  KeySchema: { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[]
  AttributeDefinitions: { AttributeName: string; AttributeType: 'S' | 'N' | 'B' }[]
  GlobalSecondaryIndexes?: IndexDescription[]
  LocalSecondaryIndexes?: IndexDescription[]
}
export interface IndexDescription {
  IndexName: string; KeySchema: { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[]
  Projection: { ProjectionType: string; NonKeyAttributes?: string[] }; ItemCount?: number; IndexSizeBytes?: number; IndexStatus?: string
}
