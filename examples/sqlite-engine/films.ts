import { DatabaseSync } from 'node:sqlite';

/** Makes the database of the example. */
export function writeFilms(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`
    create table films (title text not null, year integer not null, minutes integer, genres text not null);
    insert into films values
      ('The Lion King', 1994, 88, '["animation","musical"]'),
      ('Pulp Fiction', 1994, 154, '["crime"]'),
      ('The Straight Story', 1999, 112, '["drama"]'),
      ('Paths of Light', 1994, null, '[]');`);
  database.close();
}
