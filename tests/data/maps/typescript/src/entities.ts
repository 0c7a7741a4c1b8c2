export abstract class Entity {
  constructor(readonly id: string) {}

  describe(): string {
    return `${this.label()} ${this.id}`;
  }

  protected abstract label(): string;
}

export class User extends Entity {
  #visits: Visit[] = [];

  static parse(text: string): User {
    return new User(text.trim());
  }

  visit(page: string): this {
    this.#visits.push(new Visit(page));
    return this;
  }

  pages(): string[] {
    return this.#visits.filter((visit) => visit.isRecent()).map((visit) => visit.describe());
  }

  protected label(): string {
    return "user";
  }
}

export class Visit {
  constructor(private readonly page: string) {}

  isRecent(): boolean {
    return this.page.length > 0;
  }

  describe(): string {
    return this.page;
  }
}
